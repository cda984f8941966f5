#include "io/byte_source.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "io/foreign.h"

namespace bert::io {

// With O_NONBLOCK, opening a FIFO that has no writer returns at once. The wait for a writer is then in poll,
// which `stop` can end. Regular files are not affected.
FileBytes::FileBytes(std::string name, int stop) : name_(std::move(name)), fd_(STDIN_FILENO), stop_(stop) {
  if (name_ != "-") {
    file_ = FileDescriptor(::open(name_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    fd_ = file_.get();
  }
  struct stat info;
  if (fd_ < 0 || ::fstat(fd_, &info) != 0) throw UnreadableFile(name_, ": ", std::strerror(errno));
  if (S_ISDIR(info.st_mode)) refuse_directory(name_);
  regular_ = S_ISREG(info.st_mode);
}

std::optional<size_t> FileBytes::read(std::span<char> to) {
  if (ended_) return 0;
  for (;;) {
    std::array<struct pollfd, 2> waits = {
        {{.fd = fd_, .events = POLLIN, .revents = 0}, {.fd = stop_, .events = POLLIN, .revents = 0}}};
    if (::poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR)
      throw ReadError(name_, ": ", std::strerror(errno));
    if (waits[1].revents != 0) return std::nullopt;
    const ssize_t count = ::read(fd_, to.data(), to.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) throw ReadError(name_, ": ", std::strerror(errno));
    ended_ = count == 0;
    count_ += count;
    return count;
  }
}

bool FileBytes::ready() const {
  struct pollfd wait = {.fd = fd_, .events = POLLIN, .revents = 0};
  return ended_ || ::poll(&wait, 1, 0) > 0;
}

}  // namespace bert::io
