// How certain metrics are: bootstrap intervals (Efron 1979) and paired randomization tests (Noreen 1989).
// Results depend on the seed, not on threads.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/pool.h"
#include "io/record.h"
#include "metric/scorer.h"

namespace bert::metric {

struct Resampling {
  int64_t samples = 1000;
  uint64_t seed = 0;
  Pool* pool = nullptr;
};

using Works = std::span<io::Work* const>;

// 95 % intervals of all metrics: percentiles of samples of the works, drawn with replacement. `settled`: see
// score_again().
std::vector<Interval> bootstrap(const ScoreOptions& settled, Works works, const Resampling& resampling);

struct Comparison {
  std::string_view name;
  double value = 0, against = 0;
  Interval difference;  // of value - against
  // Share of random exchanges of both predictions of records that give at least this difference, in either
  // direction.
  double p = 1;
};
// Compares the metrics that both have. `others` has the works of the same gold labels.
std::vector<Comparison> compare_works(const ScoreOptions& settled, Works works, Works others,
                                      const Resampling& resampling);

// p-value of the exact test of McNemar 1947: how likely counts of discordant pairs are that differ at least
// as much.
double mcnemar_p(int64_t only_first, int64_t only_second);

// Percentile of sorted values, interpolated linearly.
double percentile(std::span<const double> sorted, double part);

}  // namespace bert::metric
