// The layers as plain loops in double precision, from their formulas: reference for lib/nn.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "nn/activation.h"

namespace bert::reference {

using Row = std::vector<double>;
using Matrix = std::vector<Row>;  // [rows][cols]

inline double activate(nn::Activation activation, double x) {
  switch (activation) {
    case nn::Activation::gelu:
      return x * 0.5 * std::erfc(-x / std::sqrt(2.0));
    case nn::Activation::gelu_tanh:
      return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    case nn::Activation::relu:
      return std::max(x, 0.0);
    case nn::Activation::silu:
      return x / (1 + std::exp(-x));
    case nn::Activation::tanh:
      return std::tanh(x);
    case nn::Activation::none:
      break;
  }
  return x;
}

// y = x·Wᵀ + b
inline Matrix linear(const Matrix& x, const Matrix& w, const Row& b) {
  Matrix y(x.size(), Row(w.size()));
  for (size_t i = 0; i < x.size(); ++i) {
    for (size_t n = 0; n < w.size(); ++n) {
      y[i][n] = b[n];
      for (size_t k = 0; k < x[i].size(); ++k) y[i][n] += x[i][k] * w[n][k];
    }
  }
  return y;
}

inline Row layer_norm(const Row& x, const Row& gain, const Row& bias, double epsilon) {
  double mean = 0, variance = 0;
  for (const double value : x) mean += value / static_cast<double>(x.size());
  for (const double value : x) variance += (value - mean) * (value - mean) / static_cast<double>(x.size());
  Row y(x.size());
  for (size_t i = 0; i < x.size(); ++i)
    y[i] = (x[i] - mean) / std::sqrt(variance + epsilon) * gain[i] + bias[i];
  return y;
}

// softmax(q·kᵀ·scale)·v. Query i sees only the keys seen[i], or all.
inline Matrix attend(const Matrix& q, const Matrix& k, const Matrix& v, double scale,
                     const std::vector<nn::KeyRange>& seen = {}) {
  Matrix out(q.size(), Row(v[0].size()));
  for (size_t i = 0; i < q.size(); ++i) {
    const size_t begin = seen.empty() ? 0 : static_cast<size_t>(seen[i].begin);
    Row weights(seen.empty() ? k.size() : static_cast<size_t>(seen[i].end) - begin);
    for (size_t j = 0; j < weights.size(); ++j) {
      for (size_t d = 0; d < q[i].size(); ++d) weights[j] += q[i][d] * k[begin + j][d] * scale;
    }
    const double most = *std::ranges::max_element(weights);
    double sum = 0;
    for (double& weight : weights) sum += weight = std::exp(weight - most);
    for (size_t j = 0; j < weights.size(); ++j) {
      for (size_t d = 0; d < v[0].size(); ++d) out[i][d] += weights[j] / sum * v[begin + j][d];
    }
  }
  return out;
}

}  // namespace bert::reference
