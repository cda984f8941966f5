// What happens when a signal ends the process early, or is to.
#pragma once

#include <cstddef>
#include <string>

namespace bert {

// While this lives, SIGINT, SIGTERM and SIGHUP remove `path`, a file or a directory with all that is in it,
// before they end the process as they would have done anyway. Signals that are ignored (nohup) stay ignored.
// At most eight at a time.
class RemoveOnSignal {
 public:
  explicit RemoveOnSignal(const std::string& path);
  ~RemoveOnSignal();
  RemoveOnSignal(const RemoveOnSignal&) = delete;
  RemoveOnSignal& operator=(const RemoveOnSignal&) = delete;

 private:
  int slot_;
};

// While this lives, a read of these bytes of a mapped file that is not there any more, because the file was
// cut, ends the process with a message that names `path`, exit status 1. The system would end it by SIGBUS
// without a word.
class NameOnBusError {
 public:
  NameOnBusError(const void* begin, size_t size, const std::string& path);
  ~NameOnBusError();
  NameOnBusError(const NameOnBusError&) = delete;
  NameOnBusError& operator=(const NameOnBusError&) = delete;

 private:
  size_t slot_;
};

// While this lives, the first SIGINT, SIGTERM or SIGHUP is only noted, for work that ends by itself at a good
// place; a second one ends the process as it would have without this. Signals that are ignored stay ignored.
// One at a time.
class StopOnSignal {
 public:
  StopOnSignal();
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

  static bool requested();

  // Ends the process by the signal that was noted, if one was.
  static void raise_again();
};

}  // namespace bert
