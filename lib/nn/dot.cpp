#include "nn/dot.h"

#include <cstddef>

namespace bert::nn {
namespace {

// Σ term(i) for i < n. Eight sums at a time, so that the compiler can use vector instructions.
template <class Term>
double sum_of(size_t n, Term term) {
  constexpr size_t kLanes = 8;
  double sums[kLanes] = {}, rest = 0;
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (size_t k = 0; k < kLanes; ++k) sums[k] += term(i + k);
  }
  for (; i < n; ++i) rest += term(i);
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7])) + rest;
}

}  // namespace

double dot(std::span<const float> a, const float* b) {
  return sum_of(a.size(), [=](size_t i) { return double{a[i]} * b[i]; });
}

double squared_distance(std::span<const float> a, const float* b, double shift) {
  const auto square = [](double x) { return x * x; };
  if (shift != 0) return sum_of(a.size(), [=](size_t i) { return square(double{a[i]} - b[i] - shift); });
  return sum_of(a.size(), [=](size_t i) { return square(double{a[i]} - b[i]); });
}

}  // namespace bert::nn
