#include "train/curve.h"

#include <algorithm>

namespace bert::train {

void Series::add(double step, double value) {
  sum.step += step;
  sum.value += value;
  if (++count < stride) return;
  const auto n = static_cast<double>(count);
  points.push_back({sum.step / n, sum.value / n});
  sum = {};
  count = 0;
  if (points.size() < kMaxPoints) return;
  for (size_t i = 0; i < kMaxPoints / 2; ++i) {
    const Point &a = points[2 * i], &b = points[2 * i + 1];
    points[i] = {(a.step + b.step) / 2, (a.value + b.value) / 2};
  }
  points.resize(kMaxPoints / 2);
  stride *= 2;
}

std::vector<Point> Series::all() const {
  auto every = points;
  const auto n = static_cast<double>(count);
  if (count > 0) every.push_back({sum.step / n, sum.value / n});
  return every;
}

void Curve::add(std::string_view name, int64_t step, double value) {
  auto found = std::ranges::find(series, name, &Series::name);
  if (found == series.end()) {
    series.push_back({.name = std::string(name)});
    found = series.end() - 1;
  }
  found->add(static_cast<double>(step), value);
}

}  // namespace bert::train
