// Losses as plain loops in double precision, from their formulas: reference for lib/nn/losses.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "reference/slow_layers.h"

namespace bert::reference {

// ln Σ e^x
inline double log_sum_exp(const Row& x) {
  const double most = *std::max_element(x.begin(), x.end());
  double sum = 0;
  for (const double value : x) sum += std::exp(value - most);
  return most + std::log(sum);
}

// -ln softmax(x)[gold]
inline double cross_entropy(const Row& x, size_t gold) { return log_sum_exp(x) - x[gold]; }

inline Row cross_entropy_gradient(const Row& x, size_t gold) {
  const double all = log_sum_exp(x);
  Row gradient;
  for (size_t c = 0; c < x.size(); ++c) gradient.push_back(std::exp(x[c] - all) - (c == gold ? 1 : 0));
  return gradient;
}

// -target·ln σ(x) - (1 - target)·ln(1 - σ(x)), where -ln σ(x) = ln(1 + e^-x)
inline double binary_cross_entropy(double x, double target) {
  const auto minus_log_sigmoid = [](double z) {
    return z > 0 ? std::log1p(std::exp(-z)) : std::log1p(std::exp(z)) - z;
  };
  return target * minus_log_sigmoid(x) + (1 - target) * minus_log_sigmoid(-x);
}

inline double binary_cross_entropy_gradient(double x, double target) {
  const double sigmoid = x > 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
  return sigmoid - target;
}

}  // namespace bert::reference
