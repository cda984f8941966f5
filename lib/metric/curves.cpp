#include "metric/curves.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <tuple>

namespace bert::metric {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

}  // namespace

Curve::Curve(std::vector<Example> examples) {
  std::ranges::sort(examples, std::greater<>(), &Example::score);
  positives_ = std::ranges::count_if(examples, &Example::positive);
  negatives_ = std::ssize(examples) - positives_;
  Counts counts = {.gold = positives_};
  for (size_t i = 0; i < examples.size(); ++i) {
    ++counts.predicted;
    counts.both += examples[i].positive;
    const bool is_last = i + 1 == examples.size() || examples[i + 1].score != examples[i].score;
    if (is_last) steps_.push_back({examples[i].score, counts});
  }
}

// Twice the area in units of one positive by one negative is a sum of integers.
double Curve::roc_auc() const {
  if (positives_ == 0 || negatives_ == 0) return kUndefined;
  int64_t area = 0;
  Counts before;
  for (const auto& [threshold, counts] : steps_) {
    const int64_t wrong = counts.predicted - counts.both - (before.predicted - before.both);
    area += wrong * (counts.both + before.both);
    before = counts;
  }
  return area / (2.0 * positives_ * negatives_);
}

double Curve::average_precision() const {
  double sum = 0;
  int64_t before = 0;
  for (const auto& [threshold, counts] : steps_) {
    sum += static_cast<double>(counts.both - before) * counts.precision();
    before = counts.both;
  }
  return positives_ == 0 ? kUndefined : sum / positives_;
}

const Curve::Step* choose_threshold(const Curve& curve, const ThresholdGoal& goal) {
  using enum ThresholdGoal::Kind;
  const auto value = [&](const Counts& counts) {
    const double p = counts.precision(), r = counts.recall();
    return goal.kind == f1          ? std::tuple(counts.f1(), 0.0)
           : goal.kind == precision ? std::tuple(r, p)
                                    : std::tuple(p, r);
  };
  const Curve::Step* best = nullptr;
  for (const auto& step : curve.steps()) {
    if (goal.kind == precision && step.counts.precision() < goal.value) continue;
    if (goal.kind == recall && step.counts.recall() < goal.value) continue;
    if (best == nullptr || value(step.counts) >= value(best->counts)) best = &step;
  }
  return best;
}

}  // namespace bert::metric
