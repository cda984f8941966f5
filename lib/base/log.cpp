#include "base/log.h"

#include <unistd.h>

#include <chrono>

namespace bert {
namespace {

// Each message is a single write call, so lines of several processes on one terminal do not mix. A failure is
// ignored: there is nowhere to report it.
void put(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(STDERR_FILENO, text.data(), text.size());
    if (count <= 0) return;
    text.remove_prefix(count);
  }
}

// Escapes control characters as in C ("\n", "\x1b"), except those in `kept`.
std::string escaped(std::string_view text, std::string_view kept) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string line;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte >= 0x20 && byte != 0x7f) || kept.find(c) != kept.npos) {
      line += c;
    } else if (c == '\n') {
      line += "\\n";
    } else {
      line += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return line;
}

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

void Log::error(std::string_view message) { write(escaped(message, "")); }

void Log::usage(std::string_view message, std::string_view advice) {
  write(escaped(message, "") + "\n" + escaped(advice, "\n"));
}

void Log::warn(std::string_view message) {
  if (level_ != Level::quiet) write(escaped(message, ""));
}

void Log::info(std::string_view message) {
  if (level_ == Level::verbose) write(escaped(message, ""));
}

void Log::write_progress_every(int seconds) {
  const std::lock_guard lock(mutex_);
  if (interval_) return;
  interval_ = seconds;
  last_progress_ = now_s();
}

void Log::progress(std::string_view line) {
  const std::lock_guard lock(mutex_);
  if (interval_) {
    const double now = now_s();
    if (line.empty() || now - last_progress_ < *interval_) return;
    last_progress_ = now;
    return put(program_ + ": " + std::string(line) + "\n");
  }
  clear_progress();
  if (line.empty()) return;
  put("\r" + std::string(line));
  progress_shown_ = true;
}

void Log::write(std::string_view message) {
  if (muted_) return;
  const std::lock_guard lock(mutex_);
  clear_progress();
  put(program_ + ": " + std::string(message) + "\n");
}

void Log::clear_progress() {
  if (progress_shown_) put("\r\033[K");
  progress_shown_ = false;
}

}  // namespace bert
