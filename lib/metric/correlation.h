// Correlation coefficients as defined by scipy. NaN for fewer than two pairs or if one side is constant.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace bert::metric {

// Pearson's r in constant memory: means and central moments are updated with each pair (Welford 1962).
class Pearson {
 public:
  void add(double x, double y);

  int64_t count() const { return count_; }
  double value() const;

 private:
  int64_t count_ = 0;
  double mean_x_ = 0, mean_y_ = 0;
  double xx_ = 0, yy_ = 0, xy_ = 0;  // sums of products of deviations
};

// Spearman's rho: Pearson's r of the ranks; equal values get their mean rank. Uses 16 bytes per pair.
class Spearman {
 public:
  void add(double x, double y) { pairs_.emplace_back(x, y); }

  int64_t count() const { return pairs_.size(); }
  double value() const;
  const std::vector<std::pair<double, double>>& pairs() const { return pairs_; }

 private:
  std::vector<std::pair<double, double>> pairs_;
};

}  // namespace bert::metric
