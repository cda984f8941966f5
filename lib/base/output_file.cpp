#include "base/output_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "base/error.h"

namespace bert {
namespace {

constexpr int kMaxLinks = 40;       // the kernel's limit before ELOOP
constexpr size_t kNameBytes = 200;  // of the target's name used in the temporary one; the system allows 255

std::string directory_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

// A missing directory has the same errno as a missing file.
void require_directory_of(const std::string& path) {
  const auto directory = directory_of(path);
  if (!directory.empty() && ::access(directory.c_str(), F_OK) != 0 && errno == ENOENT)
    throw Error(path, ": the directory ", directory.substr(0, std::max<size_t>(1, directory.size() - 1)),
                " does not exist");
}

// Follows symbolic links, even to a file that does not exist yet.
std::string follow_links(std::string path) {
  char link[PATH_MAX];
  for (int links = 0; links < kMaxLinks; ++links) {
    const ssize_t size = ::readlink(path.c_str(), link, sizeof link);
    if (size < 0) return path;
    const std::string to(link, size);
    path = to.starts_with('/') ? to : directory_of(path) + to;
  }
  return path;
}

// ".NAME.1f0c..." beside NAME. Random and thus unique, so it can be registered for removal before the file
// exists.
std::string temporary_name(const std::string& target) {
  uint64_t random = 0;
  if (::getrandom(&random, sizeof random, 0) != sizeof random) {
    random = static_cast<uint64_t>(::getpid()) << 32 | reinterpret_cast<uintptr_t>(&random);
  }
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(random));
  const auto directory = directory_of(target);
  return directory + "." + target.substr(directory.size()).substr(0, kNameBytes) + "." + digits;
}

// The position at which stdout goes on in a regular file; -1 for other files, and if all bytes are appended.
int64_t start_of_stdout() {
  struct stat info;
  const int flags = ::fcntl(STDOUT_FILENO, F_GETFL);
  if (::fstat(STDOUT_FILENO, &info) != 0 || !S_ISREG(info.st_mode) || flags < 0 || (flags & O_APPEND) != 0)
    return -1;
  return ::lseek(STDOUT_FILENO, 0, SEEK_CUR);
}

}  // namespace

bool is_temporary_name(std::string_view name) {
  constexpr size_t kDigits = 16;
  if (name.size() < kDigits + 3 || name.front() != '.') return false;
  const auto end = name.substr(name.size() - kDigits - 1);
  return end.front() == '.' && end.substr(1).find_first_not_of("0123456789abcdef") == end.npos;
}

bool names_stdin(std::string_view path) {
  constexpr std::string_view kNames[] = {"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"};
  return std::ranges::find(kNames, path) != std::end(kNames);
}

bool names_stdout(std::string_view path) {
  constexpr std::string_view kNames[] = {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};
  return std::ranges::find(kNames, path) != std::end(kNames);
}

OutputFile::OutputFile(std::string path) : path_(names_stdout(path) ? "-" : std::move(path)) {
  if (path_ == "-") {
    fd_ = STDOUT_FILENO;
    start_ = start_of_stdout();
    return;
  }
  if (path_.empty()) throw Error("the output has an empty name");
  struct stat info;
  const bool exists = ::stat(path_.c_str(), &info) == 0;
  if (!exists && errno != ENOENT) throw Error(path_, ": ", std::strerror(errno));
  if (exists && S_ISDIR(info.st_mode)) throw Error(path_, ": is a directory, expected the name of a file");
  if (exists && S_ISREG(info.st_mode)) {
    if (::access(path_.c_str(), W_OK) != 0) throw Error(path_, ": ", std::strerror(errno));
    open_aside(info.st_mode & 07777u);
  } else if (!exists) {
    open_aside(std::nullopt);
  } else {
    file_ = FileDescriptor(::open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
    if (file_.get() < 0) throw Error(path_, ": ", std::strerror(errno));
  }
  fd_ = file_.get();
}

void OutputFile::open_aside(std::optional<uint32_t> permissions) {
  target_ = follow_links(path_);
  require_directory_of(target_);
  const std::string name = temporary_name(target_);
  removal_ = std::make_unique<RemoveOnSignal>(name);
  file_ =
      FileDescriptor(::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, permissions ? 0600 : 0666));
  if (file_.get() < 0) throw Error(path_, ": ", std::strerror(errno));
  temporary_ = name;
  start_ = 0;
  if (!permissions || ::fchmod(file_.get(), *permissions) == 0) return;
  const int reason = errno;
  ::unlink(name.c_str());  // no destructor runs if the constructor throws
  fail("permissions cannot be set", reason);
}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

bool OutputFile::is_terminal() const { return ::isatty(fd_) == 1; }

void OutputFile::fail(std::string_view doing, int error) const {
  if (error == EPIPE) throw Error("");
  throw Error(path_ == "-" ? "stdout" : path_, ": ", doing, ": ", std::strerror(error));
}

void OutputFile::write(std::string_view bytes) {
  write_at(0, bytes, false);
  size_ += bytes.size();
}

void OutputFile::rewrite(int64_t offset, std::string_view bytes) {
  assert(can_rewrite() && offset + std::ssize(bytes) <= size_);
  write_at(start_ + offset, bytes, true);
}

void OutputFile::write_at(int64_t offset, std::string_view bytes, bool positioned) {
  while (!bytes.empty()) {
    const ssize_t count = positioned ? ::pwrite(fd_, bytes.data(), bytes.size(), offset)
                                     : ::write(fd_, bytes.data(), bytes.size());
    if (count < 0 && errno == EAGAIN) {  // another process sharing stdout may have made it non-blocking
      struct pollfd ready = {.fd = fd_, .events = POLLOUT, .revents = 0};
      ::poll(&ready, 1, -1);
    } else if (count < 0 && errno != EINTR) {
      fail("write error", errno);
    } else if (count > 0) {
      bytes.remove_prefix(count);
      offset += count;
    }
  }
}

void OutputFile::commit() {
  if (!temporary_.empty() && ::fsync(fd_) != 0 && errno != EINVAL) fail("write error", errno);
  // A network file system reports some failures only on close; for stdout, closing a duplicate is enough.
  const int last = path_ == "-" ? ::dup(fd_) : file_.release();
  if (last >= 0 && ::close(last) != 0 && errno != EINTR) fail("write error", errno);
  fd_ = -1;
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("cannot be renamed into place", errno);
  temporary_.clear();
  removal_.reset();
}

}  // namespace bert
