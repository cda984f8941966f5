// Messages to the user on stderr, one per line, each prefixed with the tool's name. Thread-safe.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace bert {

class Log {
 public:
  enum class Level { quiet, normal, verbose };

  explicit Log(std::string program, Level level = Level::normal)
      : program_(std::move(program)), level_(level) {}
  void set_level(Level level) { level_ = level; }
  bool quiet() const { return level_ == Level::quiet; }

  // Shows nothing until unmute(): for all but the first of several processes that would say the same.
  void mute() { muted_ = true; }
  void unmute() { muted_ = false; }
  bool muted() const { return muted_; }

  // Control characters in a message are escaped (file names may contain them), so it stays on one line.
  void error(std::string_view message);  // always shown
  void warn(std::string_view message);   // unless quiet
  void info(std::string_view message);   // only when verbose
  // Always shown; line breaks are kept in the advice.
  void usage(std::string_view message, std::string_view advice);

  // Shows `line` until the next message or progress line; "" clears it.
  void progress(std::string_view line);
  // For a file: from now on progress() writes a line of its own, at most one in this time.
  void write_progress_every(int seconds);

 private:
  void write(std::string_view message);
  void clear_progress();

  std::mutex mutex_;
  std::string program_;
  Level level_;
  bool progress_shown_ = false;
  std::optional<double> interval_;  // of progress lines in a file, in seconds
  double last_progress_ = 0;
  std::atomic<bool> muted_ = false;
};

}  // namespace bert
