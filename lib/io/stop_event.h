// Tells a thread that waits for input in poll that nobody wants more of it.
#pragma once

#include "base/file.h"

namespace bert::io {

class StopEvent {
 public:
  StopEvent();

  int get() const { return event_.get(); }  // becomes readable, and stays so
  void set();                               // any thread

 private:
  FileDescriptor event_;
};

}  // namespace bert::io
