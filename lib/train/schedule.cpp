#include "train/schedule.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

namespace bert::train {
namespace {

// Part of the peak rate at progress x, from 0 to 1, if warmup ends at w.
double decayed(Decay decay, double x, double w) {
  const double left = x >= 1 ? 0 : x <= w ? 1 : (1 - x) / (1 - w);
  switch (decay) {
    case Decay::linear:
      return left;
    case Decay::cosine:
      return (1 - std::cos(std::numbers::pi * left)) / 2;
    case Decay::constant:
      return 1;
    case Decay::google:
      break;
  }
  return 1 - x;
}

}  // namespace

std::string_view name_of(Decay decay) {
  return std::ranges::find(kDecays, decay, [](const auto& entry) { return entry.second; })->first;
}

Schedule::Schedule(const ScheduleConfig& config, std::optional<int64_t> steps)
    : config_(config), steps_(steps) {
  auto& warmup = config_.warmup;
  assert(warmup.steps >= 0 && warmup.share >= 0 && warmup.share <= 1);
  assert(warmup.steps == 0 || warmup.share == 0);
  if (steps_ && warmup.share > 0) {
    warmup.steps = static_cast<int64_t>(*steps_ * warmup.share);
    warmup.share = 0;
  }
  decay_from_ = warmup.share;
  if (steps_ && *steps_ > 0) decay_from_ = std::min(1.0, static_cast<double>(warmup.steps) / *steps_);
}

double Schedule::rate(int64_t step) const {
  assert(steps_);
  return rate(step, step < *steps_ ? static_cast<double>(step) / *steps_ : 1.0);
}

double Schedule::rate(int64_t step, double progress) const {
  const double x = std::clamp(progress, 0.0, 1.0);
  const auto& warmup = config_.warmup;
  double ramp = 1;
  if (step < warmup.steps) ramp = static_cast<double>(step) / warmup.steps;
  if (x < warmup.share) ramp = x / warmup.share;
  if (ramp < 1 && x < 1 && config_.decay == Decay::google) return config_.peak * ramp;
  return config_.peak * ramp * decayed(config_.decay, x, decay_from_);
}

}  // namespace bert::train
