// The slow twin of lib/search: generated rows, and every pair compared in f64.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "search/nearest.h"
#include "search/scan.h"
#include "search/vectors.h"

namespace bert::search {

using Row = std::vector<float>;

// Rows of several kinds: few different numbers (many ties), repeated rows, multiples, zeros, almost equal
// rows, and very small or large ones.
inline std::vector<Row> generated_rows(Random& random, int64_t count, int64_t width) {
  std::vector<Row> rows;
  const uint32_t kind = random.below(6);
  const auto number = [&] {
    return kind < 2 ? static_cast<float>(random.below(3)) - 1 : static_cast<float>(2 * random.uniform() - 1);
  };
  while (static_cast<int64_t>(rows.size()) < count) {
    Row row(static_cast<size_t>(width));
    for (float& x : row) x = number();
    if (random.bernoulli(0.1)) std::ranges::fill(row, 0.0f);
    if (kind == 3 && random.bernoulli(0.5)) row[random.below(static_cast<uint32_t>(width))] *= 1 + 1e-6f;
    if (kind == 4 && random.bernoulli(0.5)) {
      for (float& x : row) x *= 4;
    }
    if (kind == 5) {
      const float scale = std::pow(10.0f, static_cast<float>(random.below(73)) - 36);
      for (float& x : row) x *= scale;
    }
    if (!rows.empty() && random.bernoulli(0.3)) row = rows[random.below(static_cast<uint32_t>(rows.size()))];
    rows.push_back(std::move(row));
  }
  return rows;
}

inline StoredVectors stored(const std::vector<Row>& rows, int64_t width) {
  StoredVectors vectors(width);
  for (const Row& row : rows) vectors.add(row);
  return vectors;
}

// One lane, from the definition.
inline double slow_value(Metric metric, const Row& q, const Row& x) {
  long double product = 0, qq = 0, xx = 0, squares = 0;
  for (size_t i = 0; i < q.size(); ++i) {
    const long double a = q[i], b = x[i];
    product += a * b;
    qq += a * a;
    xx += b * b;
    squares += (a - b) * (a - b);
  }
  if (metric == Metric::l2) return static_cast<double>(-squares);
  if (metric == Metric::dot) return static_cast<double>(product);
  return qq * xx > 0 ? static_cast<double>(product / sqrtl(qq * xx)) : 0;
}

// All rows, best first by value_of.
inline std::vector<Neighbor> sorted_rows(Metric metric, const Row& q, const std::vector<Row>& rows) {
  std::vector<Neighbor> all;
  for (size_t i = 0; i < rows.size(); ++i)
    all.push_back({.row = static_cast<int64_t>(i), .value = value_of(metric, q, rows[i].data())});
  std::ranges::stable_sort(all, [](const Neighbor& a, const Neighbor& b) { return a.value > b.value; });
  return all;
}

}  // namespace bert::search
