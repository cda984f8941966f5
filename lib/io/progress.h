// Progress line on stderr, "1234 records, 56/s, 12 %, 0:40 left", while a stream runs. The share and the
// remaining time are shown if the size of the input is known.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"

namespace bert::io {

// Sum of the sizes of the FILEs in bytes (none or "-": stdin); nothing if one is not a regular file.
std::optional<uint64_t> size_of_files(const std::vector<std::string>& files);

// `share`: of the input that has been processed, if known.
std::string progress_text(int64_t records, double seconds, std::optional<double> share);

class Progress {
 public:
  enum class Shown { no, yes };
  // `size`: of the input in bytes, if known.
  Progress(Log& log, Shown shown, std::optional<uint64_t> size) : log_(log), shown_(shown), size_(size) {}

  // `bytes` of the input have been processed. Redraws at most five times a second.
  void update(int64_t records, uint64_t bytes);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  Log& log_;
  Shown shown_;
  std::optional<uint64_t> size_;
  Clock::time_point begin_ = Clock::now(), last_ = begin_;
};

}  // namespace bert::io
