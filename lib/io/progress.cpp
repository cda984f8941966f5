#include "io/progress.h"

#include <cmath>
#include <string>

namespace bert::io {

void Progress::update(int64_t records) {
  constexpr auto kInterval = std::chrono::milliseconds(200);
  if (shown_ == Shown::no) return;
  const auto now = Clock::now();
  if (now - last_ < kInterval) return;
  last_ = now;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  const auto rate = std::llround(static_cast<double>(records) / seconds);
  log_.progress(std::to_string(records) + " records, " + std::to_string(rate) + "/s");
}

void Progress::clear() {
  if (shown_ == Shown::yes) log_.progress("");
}

}  // namespace bert::io
