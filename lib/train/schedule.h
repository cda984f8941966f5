// The learning rate over a run, as a function of where the run stands: of the 0-based step s and of progress
// x, from 0 to 1. Progress is s / N where the number of steps N is known, else elapsed time / budget. After
// warm-up, which ends at progress w:
//
//   linear     (1 - x) / (1 - w)
//   cosine     (1 + cos(π·(x - w) / (1 - w))) / 2
//   constant   1
//   google     1 - x       counted from the start, so that the rate steps down by w when warm-up ends
//
// times the peak; but for constant it is 0 from x = 1 on. Step 0 of a warm-up has the rate 0.
#pragma once

#include <cstdint>
#include <optional>

namespace bert::train {

enum class Decay { linear, cosine, constant, google };

// How long the rate rises in proportion; at most one of the two.
struct Warmup {
  int64_t steps = 0;
  double share = 0;  // of the run, 0 to 1
};

struct ScheduleConfig {
  Decay decay = Decay::linear;
  double peak = 1e-4;
  Warmup warmup;
};

class Schedule {
 public:
  // Without `steps` the run is measured by time. With it, a share of warm-up is a number of steps, rounded
  // down. Warm-up of a number of steps in a run measured by time has no known w: the rate is then
  // min(1, s / steps) times the decay with w = 0 (google: either, never both).
  explicit Schedule(const ScheduleConfig& config, std::optional<int64_t> steps = {});

  double rate(int64_t step) const;                   // of a run of known steps
  double rate(int64_t step, double progress) const;  // of a run measured by time

 private:
  double decayed(double progress) const;

  ScheduleConfig config_;
  std::optional<int64_t> steps_;
  double decay_from_ = 0;  // w
};

}  // namespace bert::train
