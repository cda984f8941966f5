#include "base/signals.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>

#include "base/error.h"

namespace bert {
namespace {

// A handler takes no user data, so its data is global. The text stays allocated for the life of the process,
// because a handler on another thread may still read it after its owner is destroyed.
struct Slot {
  enum State { empty, taken, armed };
  std::atomic<State> state = empty;
  char path[PATH_MAX];
};
std::array<Slot, 8> slots;
static_assert(std::atomic<Slot::State>::is_always_lock_free);

// Removes a file, or a directory with all its contents, using only system calls, as a handler must.
void remove_at(int directory, const char* name) {
  if (::unlinkat(directory, name, 0) == 0 || errno != EISDIR) return;
  const int inside = ::openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (inside < 0) return;
  alignas(dirent64) char entries[4096];
  for (ssize_t size; (size = ::getdents64(inside, entries, sizeof entries)) > 0;) {
    for (ssize_t at = 0; at < size;) {
      const auto* const entry = reinterpret_cast<const dirent64*>(entries + at);
      at += entry->d_reclen;
      if (std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0)
        remove_at(inside, entry->d_name);
    }
  }
  ::close(inside);
  ::unlinkat(directory, name, AT_REMOVEDIR);
}

void remove_all() {
  for (auto& slot : slots) {
    if (slot.state == Slot::armed) remove_at(AT_FDCWD, slot.path);
  }
}

// Of DelaySignals. `ending`: a handler on some thread is about to end the process.
std::atomic<bool> delaying = false, ending = false;
std::atomic<int> delayed_signal = 0;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

extern "C" void remove_and_raise(int signal) {
  ending = true;
  if (delaying) {
    delayed_signal = signal;
    ending = false;
    return;
  }
  remove_all();
  std::signal(signal, SIG_DFL);
  std::raise(signal);  // delivered when the handler returns
}

std::atomic<int> noted_signal = 0, passed_on_signal = 0;

// Whether it comes again without anybody's doing: at each write to a closed pipe, in each second over the
// limit.
bool repeats(int signal) { return signal == SIGPIPE || signal == SIGXCPU; }

std::atomic<int64_t> noted_at = 0;  // in ms, see now(); 0: the handler is about to set it

int64_t now() {
  struct timespec time;
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000 + time.tv_nsec / 1'000'000;
}

extern "C" void note(int signal) {
  constexpr int64_t kSame = 250;
  int first = 0;
  bool noted = noted_signal.compare_exchange_strong(first, signal);
  if (!noted && repeats(signal)) return;
  if (!noted && repeats(first)) noted = noted_signal.compare_exchange_strong(first, signal);
  if (noted) {
    noted_at = now();
  } else if (const int64_t at = noted_at; at != 0 && now() - at >= kSame) {
    remove_and_raise(signal);
  }
}

// Mapped files. A slot is in use while `path` is not null; `begin` is set last and cleared first.
struct Mapping {
  std::atomic<char*> path = nullptr;
  std::atomic<const char*> begin = nullptr;
  std::atomic<size_t> size = 0;
};
std::array<Mapping, 1024> mappings;
static_assert(std::atomic<char*>::is_always_lock_free && std::atomic<size_t>::is_always_lock_free);

void say(const char* text) {
  if (::write(STDERR_FILENO, text, std::strlen(text)) < 0) return;  // there is nowhere to report it
}

extern "C" void name_file(int signal, siginfo_t* info, void*) {
  const auto* const address = static_cast<const char*>(info->si_addr);
  for (auto& mapping : mappings) {
    const char* const begin = mapping.begin;
    if (begin == nullptr || address < begin || address >= begin + mapping.size) continue;
    remove_all();
    say(program_invocation_short_name);
    say(": ");
    say(mapping.path);
    say(": cannot be read: the file was truncated, or the disk failed\n");
    ::_exit(1);
  }
  std::signal(signal, SIG_DFL);  // the access is retried and ends the process
}

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGPIPE};

// Installs handlers only where the default action applies; ignored or handled signals are unchanged.
void install_handlers() {
  for (const int signal : kSignals) {
    struct sigaction action;
    ::sigaction(signal, nullptr, &action);
    if ((action.sa_flags & SA_SIGINFO) != 0 || action.sa_handler != SIG_DFL) continue;
    action.sa_handler = remove_and_raise;
    action.sa_flags = SA_RESTART | SA_ONSTACK;
    ::sigaction(signal, &action, nullptr);
  }
}

}  // namespace

SignalStack::SignalStack() {
  // Room for the registers, which are 11 KiB with AMX, and for remove_at in nested directories.
  constexpr size_t kBytes = 128 << 10;
  bytes_.reset(new (std::nothrow) char[kBytes]);
  if (!bytes_) return;
  const stack_t own = {.ss_sp = bytes_.get(), .ss_flags = 0, .ss_size = kBytes};
  if (::sigaltstack(&own, &before_) != 0) bytes_.reset();
}

SignalStack::~SignalStack() {
  if (bytes_) ::sigaltstack(&before_, nullptr);
}

RemoveOnSignal::RemoveOnSignal(const std::string& path) {
  install_handlers();
  if (path.size() >= PATH_MAX) throw Error(path, ": ", std::strerror(ENAMETOOLONG));
  for (slot_ = 0; slot_ < static_cast<int>(slots.size()); ++slot_) {
    auto& slot = slots[slot_];
    auto expected = Slot::empty;
    if (!slot.state.compare_exchange_strong(expected, Slot::taken)) continue;
    std::memcpy(slot.path, path.c_str(), path.size() + 1);
    slot.state = Slot::armed;
    return;
  }
  throw Error(path, ": too many unfinished output files at once");
}

RemoveOnSignal::~RemoveOnSignal() { slots[slot_].state = Slot::empty; }

DelaySignals::DelaySignals() {
  delaying = true;
  while (ending) ::sched_yield();  // until the handler sees `delaying`, or ends the process
}

DelaySignals::~DelaySignals() {
  delaying = false;
  if (const int signal = delayed_signal.exchange(0); signal != 0) remove_and_raise(signal);
}

NameOnBusError::NameOnBusError(const void* begin, size_t size, const std::string& path) {
  struct sigaction action = {};
  action.sa_sigaction = name_file;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigaction(SIGBUS, &action, nullptr);
  char* const name = ::strdup(path.c_str());
  for (slot_ = 0; name != nullptr && slot_ < mappings.size(); ++slot_) {
    auto& mapping = mappings[slot_];
    char* none = nullptr;
    if (!mapping.path.compare_exchange_strong(none, name)) continue;
    mapping.size = size;
    mapping.begin = static_cast<const char*>(begin);
    return;
  }
  std::free(name);  // no free slot: SIGBUS ends the process as usual
  slot_ = mappings.size();
}

NameOnBusError::~NameOnBusError() {
  if (slot_ == mappings.size()) return;
  mappings[slot_].begin = nullptr;
  std::free(mappings[slot_].path.exchange(nullptr));
}

StopOnSignal::StopOnSignal() {
  for (const int signal : kSignals) {
    struct sigaction action;
    ::sigaction(signal, nullptr, &action);
    if ((action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = note;
    action.sa_flags = SA_RESTART | SA_ONSTACK;
    ::sigaction(signal, &action, nullptr);
  }
}

StopOnSignal::~StopOnSignal() {
  for (const int signal : kSignals) {
    struct sigaction action;
    ::sigaction(signal, nullptr, &action);
    if (action.sa_handler == note) std::signal(signal, SIG_DFL);
  }
}

int StopOnSignal::requested() { return noted_signal != 0 ? noted_signal : passed_on_signal; }

void StopOnSignal::request(int signal) {
  int none = 0;
  passed_on_signal.compare_exchange_strong(none, signal);
}

void StopOnSignal::raise_again() {
  const int signal = requested();
  noted_signal = passed_on_signal = 0;
  noted_at = 0;
  if (signal == 0) return;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace bert
