// Correlation coefficients as defined by scipy. NaN for fewer than two pairs or if one side is constant.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace bert::metric {

// Uses 16 bytes per pair.
class Correlation {
 public:
  using Pairs = std::vector<std::pair<double, double>>;

  void add(double x, double y) { pairs_.emplace_back(x, y); }

  int64_t count() const { return std::ssize(pairs_); }
  const Pairs& pairs() const { return pairs_; }
  double pearson() const;
  double spearman() const;  // Pearson's r of the ranks; equal values get their mean rank

 private:
  Pairs pairs_;
};

}  // namespace bert::metric
