// Heads of attention in double precision, for tests: with columns of q and k whose products are what is added
// to the scores of pairs, the reference need not know of it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "reference/slow_training.h"

namespace bert::nn {

// Rows of `cols` numbers, with zeros in `more` further columns.
inline reference::Matrix widened(const std::vector<float>& numbers, int64_t cols, int64_t more) {
  reference::Matrix rows;
  for (auto at = numbers.begin(); at != numbers.end(); at += cols) {
    rows.emplace_back(at, at + cols);
    rows.back().resize(static_cast<size_t>(cols + more));
  }
  return rows;
}

// The first columns of all rows.
inline reference::Row flat(const reference::Matrix& rows, int64_t cols) {
  reference::Row numbers;
  for (const auto& row : rows) numbers.insert(numbers.end(), row.begin(), row.begin() + cols);
  return numbers;
}

inline double error(const reference::Row& expected, const std::vector<float>& actual) {
  double difference = 0, norm = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    difference += std::pow(actual[i] - expected[i], 2);
    norm += std::pow(expected[i], 2);
  }
  return std::sqrt(difference / std::max(norm, 1e-30));
}

}  // namespace bert::nn
