// Wakes a thread that waits for input in poll when no more input is wanted.
#pragma once

#include "base/file.h"

namespace bert::io {

class StopEvent {
 public:
  StopEvent();

  int get() const { return event_.get(); }  // becomes and stays readable
  void set();                               // any thread may call it

 private:
  FileDescriptor event_;
};

}  // namespace bert::io
