// How certain metrics are: bootstrap intervals (Efron 1979) and paired randomization tests (Noreen 1989).
// Results depend on the seed, not on threads.
#pragma once

#include <cstdint>
#include <functional>
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

// What samples are drawn from: `count` records or queries, numbered from 0. `values` computes the metrics of
// some of them, each as often as its number occurs; any thread may call it. The predictions that are compared
// with these have the numbers from `count` on, in the same order.
struct Population {
  size_t count;
  std::function<Values(std::span<const uint32_t> numbers)> values;
};

using Works = std::vector<io::Work*>;

// Records, for the scorer of all of which `settled` is Scorer::settled().
Population records_of(const ScoreOptions& settled, const Works& works, const Works& others = {});
Population queries_of(const std::vector<RankingMeans>& queries, int64_t top_k,
                      const std::vector<RankingMeans>& others = {});

// 95 % intervals of all metrics: percentiles of samples, drawn with replacement.
std::vector<Interval> bootstrap(const Population& population, const Resampling& resampling);

struct Comparison {
  std::string_view name;
  double value = 0, against = 0;
  Interval difference;  // of value - against
  // Share of random exchanges of both predictions of a record, or rankings of a query, that give at least
  // this difference, in either direction.
  double p = 1;
};
// Compares the metrics that both have.
std::vector<Comparison> compare(const Population& population, const Resampling& resampling);

// p-value of the exact test of McNemar 1947: how likely counts of discordant pairs are that differ at least
// as much.
double mcnemar_p(int64_t only_first, int64_t only_second);

// Percentile of sorted values, interpolated linearly.
double percentile(std::span<const double> sorted, double part);

}  // namespace bert::metric
