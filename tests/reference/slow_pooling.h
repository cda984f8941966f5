// Slow references for pooling and scores, from the formulas, in long double.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "heads/pooling.h"

namespace bert::reference {

using Rows = std::vector<std::vector<float>>;

// Column `i` of the pooled vector of one mode; tokens before `left_out` are used by cls only.
inline double pooled_column(heads::PoolingMode mode, const Rows& rows, size_t left_out, size_t i) {
  using heads::PoolingMode;
  if (mode == PoolingMode::cls) return rows.front()[i];
  if (left_out >= rows.size()) return 0;
  if (mode == PoolingMode::last) return rows.back()[i];
  long double sum = 0, weights = 0, high = -INFINITY;
  const long double n = static_cast<long double>(rows.size() - left_out);
  for (size_t t = left_out; t < rows.size(); ++t) {
    const long double weight = mode == PoolingMode::weighted_mean ? static_cast<long double>(t + 1) : 1;
    sum += weight * rows[t][i];
    weights += weight;
    high = std::max<long double>(high, rows[t][i]);
  }
  if (mode == PoolingMode::max) return static_cast<double>(high);
  if (mode == PoolingMode::mean_sqrt_len) return static_cast<double>(sum / std::sqrt(n));
  return static_cast<double>(sum / weights);
}

inline std::vector<double> softmax(std::span<const float> logits) {
  long double sum = 0;
  for (const float x : logits) sum += std::exp(static_cast<long double>(x));
  std::vector<double> all;
  for (const float x : logits)
    all.push_back(static_cast<double>(std::exp(static_cast<long double>(x)) / sum));
  return all;
}

// (probability, id) of every id below `choices`, fully sorted.
inline std::vector<std::pair<double, int32_t>> ranking(std::span<const float> logits, size_t choices) {
  const auto probability = softmax(logits);
  std::vector<int32_t> ids;
  for (size_t i = 0; i < std::min(choices, logits.size()); ++i) ids.push_back(static_cast<int32_t>(i));
  std::stable_sort(ids.begin(), ids.end(), [&](int32_t a, int32_t b) {
    return logits[static_cast<size_t>(a)] > logits[static_cast<size_t>(b)];
  });
  std::vector<std::pair<double, int32_t>> all;
  for (const int32_t id : ids) all.emplace_back(probability[static_cast<size_t>(id)], id);
  return all;
}

}  // namespace bert::reference
