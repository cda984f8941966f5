#include "io/stop_event.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace bert::io {

StopEvent::StopEvent() : event_(::eventfd(0, EFD_CLOEXEC)) {
  if (event_.get() < 0) throw Error("eventfd: ", std::strerror(errno));
}

void StopEvent::set() {
  const uint64_t one = 1;
  // Fails only if the counter is at its maximum, and then the event is readable anyway.
  [[maybe_unused]] const ssize_t written = ::write(event_.get(), &one, sizeof one);
}

}  // namespace bert::io
