#include "io/spool.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/error.h"

namespace bert::io {
namespace {

std::string directory() {
  const char* named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : "/tmp";
}

[[noreturn]] void fail() { throw Error("a temporary file in ", directory(), ": ", std::strerror(errno)); }

FileDescriptor nameless_file() {
  std::string name = directory() + "/bert-XXXXXX";
  FileDescriptor file(::mkostemp(name.data(), O_CLOEXEC));
  if (file.get() < 0 || ::unlink(name.c_str()) != 0) fail();
  return file;
}

}  // namespace

uint64_t Spool::append(std::string_view bytes) {
  if (file_.get() < 0) file_ = nameless_file();
  const uint64_t begin = size_;
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(size_));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail();
    bytes.remove_prefix(static_cast<size_t>(count));
    size_ += static_cast<uint64_t>(count);
  }
  return begin;
}

}  // namespace bert::io
