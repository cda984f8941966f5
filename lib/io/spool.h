// Bytes put aside to be read again: a file without a name, below $TMPDIR, that is gone with the process.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/file.h"

namespace bert::io {

class Spool {
 public:
  // Returns where they begin. Error names the directory.
  uint64_t append(std::string_view bytes);
  int fd() const { return file_.get(); }  // -1 before the first append

 private:
  FileDescriptor file_;
  uint64_t size_ = 0;
};

}  // namespace bert::io
