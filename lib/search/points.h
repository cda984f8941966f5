// Rows of Vectors as a graph compares them: by their distance in f32, which is less for nearer ones. A row
// with the same numbers as an earlier one is no point of its own.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "nn/kernels/kernels.h"
#include "search/scan.h"
#include "search/vectors.h"

namespace bert::search {

struct Point {
  const float* numbers;
  float factor;  // 1/norm for cosine, 0 if the norm is 0; norm² for l2
  uint32_t row;  // of a query: 0
};

class Points {
 public:
  // `vectors` must outlive this object. Requires norms, and rows that stay. Leaves out those that are
  // skipped.
  Points(const Vectors& vectors, Metric metric, const std::vector<bool>& skipped)
      : metric_(metric), width_(vectors.width()), dot_(nn::usable_kernels().dot) {
    nn::Memory scratch;
    points_.reserve(vectors.rows());
    for (int64_t i = 0; i < vectors.rows(); ++i)
      if (!skipped[i]) points_.push_back(point_of(vectors.row(i, scratch), vectors.norms()[i], i));
  }

  Point point_of(const float* numbers, float norm, uint32_t row = 0) const {
    if (metric_ == Metric::cosine) return {numbers, norm > 0 ? 1 / norm : 0, row};
    return {numbers, norm * norm, row};
  }

  size_t size() const { return points_.size(); }
  const Point& operator[](size_t point) const { return points_[point]; }

  // Infinity where f32 overflows.
  float distance(const Point& a, const Point& b) const {
    const float product = dot_(width_, a.numbers, b.numbers);
    const float distance = metric_ == Metric::cosine ? 1 - product * a.factor * b.factor
                           : metric_ == Metric::dot  ? -product
                                                     : a.factor + b.factor - 2 * product;
    return std::isnan(distance) ? INFINITY : distance;
  }

  // For a distance to this point that is computed soon.
  void prefetch(size_t point) const { __builtin_prefetch(&points_[point]); }
  void prefetch_numbers(size_t point) const {
    constexpr int64_t kLine = 64 / sizeof(float);
    const float* const numbers = points_[point].numbers;
    for (int64_t i = 0; i < width_; i += kLine) __builtin_prefetch(numbers + i);
  }

 private:
  Metric metric_;
  int64_t width_;
  float (*dot_)(int64_t, const float*, const float*);
  std::vector<Point> points_;
};

}  // namespace bert::search
