// "1234 records, 56/s" on stderr while a stream runs.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/log.h"

namespace bert::io {

class Progress {
 public:
  enum class Shown { no, yes };
  Progress(Log& log, Shown shown) : log_(log), shown_(shown) {}

  void update(int64_t records);  // shows it at most five times a second
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  Log& log_;
  Shown shown_;
  Clock::time_point begin_ = Clock::now(), last_ = begin_;
};

}  // namespace bert::io
