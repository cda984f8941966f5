// Learning-rate schedule: the rate as a function of the step s, from 0, and the progress x of the run, from 0
// to 1. Progress is s / N if the number of steps N is known, otherwise elapsed time / budget. After warmup,
// which ends at progress w, the rate is the peak times
//
//   linear     (1 - x) / (1 - w)
//   cosine     (1 + cos(π·(x - w) / (1 - w))) / 2
//   constant   1
//   google     1 - x       measured from the start, so the rate drops by w when warmup ends
//
// The rate is 0 from x = 1 on, except for constant. With warmup, step 0 has rate 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace bert::train {

enum class Decay { linear, cosine, constant, google };

// With their names, in --help order.
inline constexpr std::pair<std::string_view, Decay> kDecays[] = {{"linear", Decay::linear},
                                                                 {"cosine", Decay::cosine},
                                                                 {"constant", Decay::constant},
                                                                 {"google", Decay::google}};
std::string_view name_of(Decay decay);

// Length of linear warmup. At most one of the two may be set.
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
  // Without `steps`, the run is measured by time. With `steps`, a warmup share is converted to steps, rounded
  // down. If warmup is in steps and the run is measured by time, w is unknown: the rate is then min(1, s /
  // warmup steps) times the decay with w = 0. For google, only one of the two factors applies at a time.
  explicit Schedule(const ScheduleConfig& config, std::optional<int64_t> steps = {});

  double rate(int64_t step) const;                   // if the number of steps is known
  double rate(int64_t step, double progress) const;  // if the run is measured by time

 private:
  ScheduleConfig config_;
  std::optional<int64_t> steps_;
  double decay_from_ = 0;  // w
};

}  // namespace bert::train
