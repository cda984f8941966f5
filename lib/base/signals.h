// Cleanup and orderly stops on signals.
#pragma once

#include <csignal>
#include <cstddef>
#include <memory>
#include <string>

namespace bert {

// While this object lives, the handlers below run on a stack of their own if this thread gets the signal.
// Before version 3.11.2, oneDNN's matrix products for AVX2 and AVX-512 set the stack pointer to heap memory
// (github.com/uxlfoundation/oneDNN/issues/4845), which a handler on the thread's stack would overwrite.
class SignalStack {
 public:
  SignalStack();
  ~SignalStack();
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  std::unique_ptr<char[]> bytes_;
  stack_t before_ = {};
};

// "The signals" below are those that end a process from outside: SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU
// and SIGPIPE. Ignored ones (nohup) stay ignored.

// While this object lives, the signals remove `path` (a file, or a directory with all its contents) before
// they end the process. At most eight at a time.
class RemoveOnSignal {
 public:
  explicit RemoveOnSignal(const std::string& path);
  ~RemoveOnSignal();
  RemoveOnSignal(const RemoveOnSignal&) = delete;
  RemoveOnSignal& operator=(const RemoveOnSignal&) = delete;

 private:
  int slot_;
};

// While this object lives, the signals do not end the process; the last one does when the object is
// destroyed. For a few operations that belong together. One at a time.
class DelaySignals {
 public:
  DelaySignals();
  ~DelaySignals();
  DelaySignals(const DelaySignals&) = delete;
  DelaySignals& operator=(const DelaySignals&) = delete;
};

// While this object lives, reading bytes of a mapped file that has since been truncated ends the process with
// a message that names `path` and exit status 1. Without it, SIGBUS would end the process without a message.
class NameOnBusError {
 public:
  NameOnBusError(const void* begin, size_t size, const std::string& path);
  ~NameOnBusError();
  NameOnBusError(const NameOnBusError&) = delete;
  NameOnBusError& operator=(const NameOnBusError&) = delete;

 private:
  size_t slot_;
};

// While this object lives, the first of the signals is only recorded, so that work can stop at a good point;
// a second one ends the process, if it comes a quarter of a second later or more: timeout sends its signal to
// the process and to the group that it is in. SIGPIPE and SIGXCPU repeat by themselves, so they count neither
// as the second nor, if another signal follows, as the first. One at a time.
class StopOnSignal {
 public:
  StopOnSignal();
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

  // The recorded signal; 0 if there is none.
  static int requested();

  // Requests a stop because another process has received `signal`. A signal that this process then receives
  // itself is still its first.
  static void request(int signal);

  // Raises the recorded signal again, if there was one, which ends the process.
  static void raise_again();
};

}  // namespace bert
