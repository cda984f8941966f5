#include "metric/correlation.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bert::metric {
namespace {

using Pairs = Correlation::Pairs;

// Means and central moments are updated with each pair (Welford 1962).
double coefficient_of(const Pairs& pairs) {
  double count = 0, mean_x = 0, mean_y = 0;
  double xx = 0, yy = 0, xy = 0;  // sums of products of deviations
  for (const auto& [x, y] : pairs) {
    ++count;
    const double dx = x - mean_x, dy = y - mean_y;
    mean_x += dx / count;
    mean_y += dy / count;
    xx += dx * (x - mean_x);
    yy += dy * (y - mean_y);
    xy += dx * (y - mean_y);
  }
  if (count < 2 || xx <= 0 || yy <= 0) return std::numeric_limits<double>::quiet_NaN();
  return std::clamp(xy / std::sqrt(xx) / std::sqrt(yy), -1.0, 1.0);
}

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

double Correlation::pearson() const { return coefficient_of(pairs_); }

double Correlation::spearman() const {
  Pairs ranks = pairs_;
  rank(ranks, &Pairs::value_type::first);
  rank(ranks, &Pairs::value_type::second);
  return coefficient_of(ranks);
}

}  // namespace bert::metric
