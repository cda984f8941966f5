// What a tool says to a person, on stderr: one line a message, each after the tool's name. Any thread may
// speak.
#pragma once

#include <mutex>
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

  // A message is one line: control characters in it, which may come from a file's name, are escaped.
  void error(std::string_view message);  // always
  void warn(std::string_view message);   // unless quiet
  void info(std::string_view message);   // only when verbose
  void usage(std::string_view lines);    // always; keeps line ends

  // Shows `line` until the next message or the next line; an empty one clears it. The caller asks only on a
  // terminal.
  void progress(std::string_view line);

 private:
  void write(std::string_view message);
  void clear_progress();

  std::mutex mutex_;
  std::string program_;
  Level level_;
  bool progress_shown_ = false;
};

}  // namespace bert
