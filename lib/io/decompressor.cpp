#include "io/decompressor.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/error.h"

extern char** environ;

namespace bert::io {
namespace {

constexpr size_t kBlockBytes = 64 << 10;  // sent to the child at a time

// Starts `program -dc` with these streams. It has its own process group, so that Ctrl-C reaches only this
// process, which may want to finish its work, and the default signal handlers.
int spawn(const char* program, const std::array<int, 3>& streams, pid_t& child) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (int i = 0; i < 3; ++i) ::posix_spawn_file_actions_adddup2(&actions, streams[i], i);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none, all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  const char* const arguments[] = {program, "-dc", nullptr};
  const int error =
      ::posix_spawnp(&child, program, &actions, &attributes,
                     const_cast<char* const*>(static_cast<const char* const*>(arguments)), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

Decompressor::Decompressor(FileBytes& file, const Compression& compression, std::string begin)
    : file_(file), compression_(compression), pending_(std::move(begin)) {
  // A socket instead of a pipe, because send() can do without SIGPIPE if the child ends early.
  std::array<int, 2> in, out;
  const bool made = ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in.data()) == 0;
  if (!made || ::pipe2(out.data(), O_CLOEXEC) != 0) throw ReadError(file_.name(), ": ", std::strerror(errno));
  in_ = FileDescriptor(in[0]);
  out_ = FileDescriptor(out[0]);
  const FileDescriptor child_in(in[1]), child_out(out[1]);
  error_ = FileDescriptor(::memfd_create(compression.program, MFD_CLOEXEC));
  const int error = spawn(compression.program, {child_in.get(), child_out.get(), error_.get()}, child_);
  if (error == 0) return;
  child_ = -1;
  if (error == ENOENT)
    throw ReadError(file_.name(), ": is compressed, but ", compression.program,
                    " is not installed or not on the PATH (on Debian and Ubuntu, the package ",
                    compression.package, ")");
  throw ReadError(file_.name(), ": ", compression.program, ": ", std::strerror(error));
}

Decompressor::~Decompressor() {
  if (child_ < 0) return;
  ::kill(child_, SIGKILL);
  while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::optional<size_t> Decompressor::read(std::span<char> to) {
  while (child_ >= 0) {
    const bool sends = sent_ < pending_.size();
    std::array<struct pollfd, 4> waits = {
        {{.fd = out_.get(), .events = POLLIN, .revents = 0},
         {.fd = file_.stop(), .events = POLLIN, .revents = 0},
         {.fd = sends ? in_.get() : -1, .events = POLLOUT, .revents = 0},
         {.fd = sends || file_ended_ ? -1 : file_.fd(), .events = POLLIN, .revents = 0}}};
    if (::poll(waits.data(), waits.size(), -1) < 0) {
      if (errno == EINTR) continue;
      throw ReadError(file_.name(), ": ", std::strerror(errno));
    }
    if (waits[1].revents != 0) return std::nullopt;
    if (waits[0].revents != 0) {
      const ssize_t count = ::read(out_.get(), to.data(), to.size());
      if (count < 0 && errno != EINTR) throw ReadError(file_.name(), ": ", std::strerror(errno));
      if (count > 0) return count;
      if (count == 0) end();
    } else if (waits[2].revents != 0) {
      feed();
    } else if (waits[3].revents != 0) {
      refill();
    }
  }
  return 0;
}

bool Decompressor::ready() const {
  struct pollfd wait = {.fd = out_.get(), .events = POLLIN, .revents = 0};
  return child_ < 0 || ::poll(&wait, 1, 0) > 0;
}

void Decompressor::feed() {
  const ssize_t count =
      ::send(in_.get(), pending_.data() + sent_, pending_.size() - sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (count >= 0) {
    sent_ += count;
  } else if (errno == EPIPE || errno == ECONNRESET) {  // the child has seen enough; its exit status says why
    sent_ = pending_.size();
    file_ended_ = true;
  } else if (errno != EINTR && errno != EAGAIN) {
    throw ReadError(file_.name(), ": ", compression_.program, ": ", std::strerror(errno));
  }
}

void Decompressor::refill() {
  pending_.resize(kBlockBytes);
  const auto count = file_.read(pending_);
  pending_.resize(count.value_or(0));
  sent_ = 0;
  if (count != 0) return;
  file_ended_ = true;
  in_ = FileDescriptor();
}

void Decompressor::end() {
  int status = 0;
  while (::waitpid(child_, &status, 0) < 0) {
    if (errno == EINTR) continue;
    status = complaint().empty() ? 0 : -1;  // SIGCHLD is ignored: the system has forgotten the status
    break;
  }
  child_ = -1;
  if (status == 0) return;
  const auto said = complaint();
  throw ReadError(file_.name(), ": cannot be decompressed: ",
                  said.empty() ? std::string(compression_.program) + " failed" : said);
}

// The first line that the child wrote to stderr.
std::string Decompressor::complaint() const {
  std::array<char, 512> bytes;
  const ssize_t count = ::pread(error_.get(), bytes.data(), bytes.size(), 0);
  std::string_view text(bytes.data(), std::max<ssize_t>(0, count));
  while (text.starts_with('\n')) text.remove_prefix(1);
  return std::string(text.substr(0, text.find('\n')));
}

}  // namespace bert::io
