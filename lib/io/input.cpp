#include "io/input.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace bert::io {
namespace {

constexpr size_t kReadBytes = 128 << 10;  // size of one read; twice the default capacity of a pipe
constexpr size_t kKeepBytes = 1 << 20;    // a larger buffer is freed once its long record is consumed

}  // namespace

// With O_NONBLOCK, opening a FIFO that has no writer returns at once. The wait for a writer is then in poll,
// which `stop` can end. Regular files are not affected.
Input::Input(std::string name, int stop) : name_(std::move(name)), fd_(STDIN_FILENO), stop_(stop) {
  if (name_ != "-") {
    file_ = FileDescriptor(::open(name_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    fd_ = file_.get();
  }
  struct stat info;
  if (fd_ < 0 || ::fstat(fd_, &info) != 0) throw Error(name_, ": ", std::strerror(errno));
  if (S_ISDIR(info.st_mode)) throw Error(name_, ": ", std::strerror(EISDIR));
}

bool Input::read_more() {
  if (ended_) return false;
  make_room();
  for (;;) {
    std::array<struct pollfd, 2> waits = {
        {{.fd = fd_, .events = POLLIN, .revents = 0}, {.fd = stop_, .events = POLLIN, .revents = 0}}};
    if (::poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR)
      throw Error(name_, ": ", std::strerror(errno));
    if (waits[1].revents != 0) return false;
    const ssize_t count = ::read(fd_, buffer_.get() + end_, kReadBytes);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) throw Error(name_, ": ", std::strerror(errno));
    end_ += static_cast<size_t>(count);
    ended_ = count == 0;
    return !ended_;
  }
}

bool Input::ready() const {
  struct pollfd wait = {.fd = fd_, .events = POLLIN, .revents = 0};
  return ended_ || ::poll(&wait, 1, 0) > 0;
}

void Input::make_room() {
  if (capacity_ - end_ >= kReadBytes) return;
  const size_t unread = end_ - begin_;
  const bool oversized = capacity_ > kKeepBytes && unread < kReadBytes;
  if (oversized || unread + kReadBytes > capacity_ || begin_ < unread) {
    capacity_ = oversized ? 4 * kReadBytes : std::max(2 * capacity_, 4 * kReadBytes);
    auto larger = std::make_unique_for_overwrite<char[]>(capacity_);
    if (unread > 0) std::memcpy(larger.get(), buffer_.get() + begin_, unread);
    buffer_ = std::move(larger);
  } else {
    std::memcpy(buffer_.get(), buffer_.get() + begin_, unread);
  }
  begin_ = 0;
  end_ = unread;
}

}  // namespace bert::io
