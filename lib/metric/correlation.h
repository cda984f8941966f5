// How well numbers follow numbers, by scipy's definitions. Not a number for fewer than two pairs, or when one
// side is constant.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace bert::metric {

// Pearson's r in constant memory: means and moments about them are brought up to date pair by pair (Welford
// 1962).
class Pearson {
 public:
  void add(double x, double y);

  int64_t count() const { return count_; }
  double value() const;

 private:
  int64_t count_ = 0;
  double mean_x_ = 0, mean_y_ = 0;
  double xx_ = 0, yy_ = 0, xy_ = 0;  // Σ of products of deviations
};

// Spearman's rho: Pearson's r of ranks, equal values share the mean of theirs. Keeps all pairs, 16 bytes
// each.
class Spearman {
 public:
  void add(double x, double y) { pairs_.emplace_back(x, y); }

  int64_t count() const { return static_cast<int64_t>(pairs_.size()); }
  double value() const;

 private:
  std::vector<std::pair<double, double>> pairs_;
};

}  // namespace bert::metric
