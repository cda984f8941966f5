// Chi-square tests of counts. Tests use fixed seeds, so the outcome is always the same.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace bert::test {

// The value that chi-square exceeds with probability 1e-4 (Wilson and Hilferty 1931).
inline double chi_square_limit(double freedom) {
  const double spread = 2 / (9 * freedom), deviations = 3.72;
  return freedom * std::pow(1 - spread + deviations * std::sqrt(spread), 3);
}

// `shares` are the expected fractions and add up to 1. An outcome with share 0 must not occur.
inline bool agrees(const std::vector<int64_t>& counts, const std::vector<double>& shares) {
  double total = 0, chi_square = 0, freedom = -1;
  for (const int64_t count : counts) total += static_cast<double>(count);
  for (size_t i = 0; i < counts.size(); ++i) {
    const double expected = shares[i] * total, found = static_cast<double>(counts[i]);
    if (expected < 1e-6 * total && found > 0) return false;
    if (expected < 1e-6 * total) continue;
    chi_square += (found - expected) * (found - expected) / expected;
    ++freedom;
  }
  return freedom < 1 || chi_square <= chi_square_limit(freedom);
}

inline bool equally_likely(const std::vector<int64_t>& counts) {
  return agrees(counts, std::vector<double>(counts.size(), 1 / static_cast<double>(counts.size())));
}

// Whether two samples of equal size come from one distribution. `outcomes` maps each outcome to its two
// counts; outcomes with fewer than ten occurrences in total are skipped.
template <class Outcome>
bool alike(const std::map<Outcome, std::pair<int64_t, int64_t>>& outcomes) {
  double chi_square = 0, freedom = -1;
  for (const auto& [outcome, counts] : outcomes) {
    const auto first = static_cast<double>(counts.first), second = static_cast<double>(counts.second);
    if (first + second < 10) continue;
    chi_square += (first - second) * (first - second) / (first + second);
    ++freedom;
  }
  return freedom < 1 || chi_square <= chi_square_limit(freedom);
}

}  // namespace bert::test
