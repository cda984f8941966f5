// How many texts were cut, which is never silent.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/log.h"

namespace bert::task {

class CutTexts {
 public:
  void count() { ++count_; }  // any thread
  void say(Log& log, int64_t max_length) const {
    if (count_ == 0) return;
    log.warn(std::to_string(count_) + (count_ == 1 ? " text was" : " texts were") + " truncated to " +
             std::to_string(max_length) + " tokens");
  }

 private:
  std::atomic<int64_t> count_ = 0;
};

}  // namespace bert::task
