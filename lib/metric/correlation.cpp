#include "metric/correlation.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bert::metric {
namespace {

using Pairs = std::vector<std::pair<double, double>>;

// Replaces the values of one side by their ranks, from 1; sorts the pairs by that side.
void rank(Pairs& pairs, double Pairs::value_type::*side) {
  std::sort(pairs.begin(), pairs.end(), [side](const auto& a, const auto& b) { return a.*side < b.*side; });
  for (size_t begin = 0, end; begin < pairs.size(); begin = end) {
    end = begin + 1;
    while (end < pairs.size() && pairs[end].*side == pairs[begin].*side) ++end;
    const double mean = static_cast<double>(begin + 1 + end) / 2;
    for (size_t i = begin; i < end; ++i) pairs[i].*side = mean;
  }
}

}  // namespace

void Pearson::add(double x, double y) {
  ++count_;
  const double dx = x - mean_x_, dy = y - mean_y_;
  mean_x_ += dx / static_cast<double>(count_);
  mean_y_ += dy / static_cast<double>(count_);
  xx_ += dx * (x - mean_x_);
  yy_ += dy * (y - mean_y_);
  xy_ += dx * (y - mean_y_);
}

double Pearson::value() const {
  if (count_ < 2 || xx_ <= 0 || yy_ <= 0) return std::numeric_limits<double>::quiet_NaN();
  return std::clamp(xy_ / std::sqrt(xx_) / std::sqrt(yy_), -1.0, 1.0);
}

double Spearman::value() const {
  Pairs pairs = pairs_;
  rank(pairs, &Pairs::value_type::first);
  rank(pairs, &Pairs::value_type::second);
  Pearson pearson;
  for (const auto& [x, y] : pairs) pearson.add(x, y);
  return pearson.value();
}

}  // namespace bert::metric
