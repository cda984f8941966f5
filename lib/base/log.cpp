#include "base/log.h"

#include <unistd.h>

namespace bert {
namespace {

// stderr is written by one call, so that lines of several processes on one terminal do not mix; a failure to
// complain has nowhere to be reported.
void put(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(STDERR_FILENO, text.data(), text.size());
    if (count <= 0) return;
    text.remove_prefix(static_cast<size_t>(count));
  }
}

}  // namespace

void Log::error(std::string_view message) { write(message); }

void Log::warn(std::string_view message) {
  if (level_ != Level::quiet) write(message);
}

void Log::info(std::string_view message) {
  if (level_ == Level::verbose) write(message);
}

void Log::progress(std::string_view line) {
  const std::lock_guard lock(mutex_);
  clear_progress();
  if (line.empty()) return;
  put("\r" + std::string(line));
  progress_shown_ = true;
}

void Log::write(std::string_view message) {
  const std::lock_guard lock(mutex_);
  clear_progress();
  put(program_ + ": " + std::string(message) + "\n");
}

void Log::clear_progress() {
  if (progress_shown_) put("\r\033[K");
  progress_shown_ = false;
}

}  // namespace bert
