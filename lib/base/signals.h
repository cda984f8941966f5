// What happens when a signal ends the process early.
#pragma once

#include <string>

namespace bert {

// While this lives, SIGINT, SIGTERM and SIGHUP unlink `path` before they end the process as they would have
// done anyway. Signals that are ignored (nohup) stay ignored. At most eight at a time.
class UnlinkOnSignal {
 public:
  explicit UnlinkOnSignal(const std::string& path);
  ~UnlinkOnSignal();
  UnlinkOnSignal(const UnlinkOnSignal&) = delete;
  UnlinkOnSignal& operator=(const UnlinkOnSignal&) = delete;

 private:
  int slot_;
};

}  // namespace bert
