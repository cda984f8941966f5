// What the user is told of how a run ends, if not simply by its last step.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/log.h"

namespace bert::train {

class EndNotes {
 public:
  explicit EndNotes(Log& log) : log_(log) {}

  // Called after each batch of `step`: tells once if a step still runs a second after a signal.
  void batch_done(int64_t step);
  void stopped(int64_t step) const;
  // A resumed run has nothing left to do. Without `steps`, its budget or the records of its epochs have been
  // used.
  void finished(int64_t step, std::optional<int64_t> steps, bool has_budget) const;
  void input_ended(int64_t step, int64_t steps) const;
  void out_of_patience(int64_t step, const std::string& metric, int64_t evaluations) const;

 private:
  using Clock = std::chrono::steady_clock;

  Log& log_;
  std::optional<Clock::time_point> signalled_;  // when a signal was noticed within a step
  bool told_ = false;
};

}  // namespace bert::train
