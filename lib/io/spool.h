// An unnamed temporary file below $TMPDIR that holds bytes to be read again. The system deletes it when the
// process ends.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/file.h"

namespace bert::io {

class Spool {
 public:
  // Returns the offset of the appended bytes. The Error names the directory.
  uint64_t append(std::string_view bytes);
  int fd() const { return file_.get(); }  // -1 before the first append

 private:
  FileDescriptor file_;
  uint64_t size_ = 0;
};

}  // namespace bert::io
