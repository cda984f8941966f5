#include "metric/resampling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.h"
#include "metric/kept_works.h"

namespace bert::metric {
namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

Values values_again(const ScoreOptions& settled, Works works) {
  return score_values(score_again(settled, works)->evaluate(), settled.task);
}

// The value of each of `names`; NaN if there is none.
std::vector<double> in_order(const Values& values, const Values& names) {
  std::vector<double> row;
  for (const auto& [name, ignored] : names) {
    const auto found = std::ranges::find(values, name, &Value::name);
    row.push_back(found == values.end() ? kNoValue : found->value);
  }
  return row;
}

// Rows for each sample, computed on all threads.
template <class Sample>
std::vector<std::vector<double>> rows_of(const Resampling& resampling, const Sample& sample) {
  std::vector<std::vector<double>> rows(resampling.samples);
  resampling.pool->run_grid(resampling.samples, [&](int64_t i, int) { rows[i] = sample(i); });
  return rows;
}

// Numbers below `count`, drawn with replacement for the sample `i`.
std::vector<uint32_t> draw(size_t count, uint64_t seed, int64_t i) {
  Random random(seed, {static_cast<uint64_t>(i)});
  std::vector<uint32_t> drawn(count);
  for (auto& number : drawn) number = random.below(count);
  return drawn;
}

std::vector<io::Work*> pick(Works works, std::span<const uint32_t> numbers) {
  std::vector<io::Work*> picked;
  for (const auto number : numbers) picked.push_back(works[number]);
  return picked;
}

std::vector<double> minus(std::vector<double> a, const std::vector<double>& b) {
  std::ranges::transform(a, b, a.begin(), std::minus<>());
  return a;
}

// The interval of a column, without samples for which the metric is undefined.
Interval interval_of(std::string_view name, const std::vector<std::vector<double>>& rows, size_t column) {
  std::vector<double> values;
  for (const auto& row : rows)
    if (std::isfinite(row[column])) values.push_back(row[column]);
  if (values.empty()) return {.name = name, .low = kNoValue, .high = kNoValue};
  std::ranges::sort(values);
  return {.name = name, .low = percentile(values, 0.025), .high = percentile(values, 0.975)};
}

}  // namespace

std::vector<Interval> bootstrap(const ScoreOptions& settled, Works works, const Resampling& resampling) {
  const auto values = values_again(settled, works);
  const auto rows = rows_of(resampling, [&](int64_t i) {
    return in_order(values_again(settled, pick(works, draw(works.size(), resampling.seed, i))), values);
  });
  std::vector<Interval> intervals;
  for (size_t k = 0; k < values.size(); ++k) intervals.push_back(interval_of(values[k].name, rows, k));
  return intervals;
}

std::vector<Comparison> compare_works(const ScoreOptions& settled, Works works, Works others,
                                      const Resampling& resampling) {
  const auto values = values_again(settled, works), other_values = values_again(settled, others);
  const auto both = [&](Works first, Works second) {
    return minus(in_order(values_again(settled, first), values),
                 in_order(values_again(settled, second), values));
  };
  const auto samples = rows_of(resampling, [&](int64_t i) {
    const auto numbers = draw(works.size(), resampling.seed, i);
    return both(pick(works, numbers), pick(others, numbers));
  });
  const auto exchanges = rows_of(resampling, [&](int64_t i) {
    Random random(resampling.seed, {static_cast<uint64_t>(i), 1});
    std::vector<io::Work*> first, second;
    for (size_t k = 0; k < works.size(); ++k) {
      const bool exchanged = (random.next() & 1) != 0;
      first.push_back(exchanged ? others[k] : works[k]);
      second.push_back(exchanged ? works[k] : others[k]);
    }
    return both(first, second);
  });
  std::vector<Comparison> comparisons;
  const auto against = in_order(other_values, values);
  for (size_t k = 0; k < values.size(); ++k) {
    if (std::ranges::find(other_values, values[k].name, &Value::name) == other_values.end()) continue;
    constexpr double kRounding = 1e-12;  // equal differences of shares may differ in their last digits
    const double least = std::abs(values[k].value - against[k]) - kRounding;
    const auto count =
        std::ranges::count_if(exchanges, [&](const auto& row) { return std::abs(row[k]) >= least; });
    comparisons.push_back({.name = values[k].name,
                           .value = values[k].value,
                           .against = against[k],
                           .difference = interval_of(values[k].name, samples, k),
                           .p = std::isfinite(least) ? static_cast<double>(count + 1) /
                                                           static_cast<double>(resampling.samples + 1)
                                                     : kNoValue});
  }
  return comparisons;
}

// The terms of the binomial distribution for 1/2, relative to the middle one, from there downwards.
double mcnemar_p(int64_t only_first, int64_t only_second) {
  const int64_t count = only_first + only_second, least = std::min(only_first, only_second);
  if (only_first == only_second) return 1;
  double term = 1, lower = 0, tail = 0;
  for (int64_t k = (count - 1) / 2; k >= 0 && term > 0; --k) {
    lower += term;
    if (k <= least) tail += term;
    term *= k / static_cast<double>(count - k + 1);
  }
  // Both halves; an even count has one term between them.
  const double middle =
      count % 2 == 0 ? static_cast<double>(count / 2 + 1) / static_cast<double>(count / 2) : 0;
  return 2 * tail / (2 * lower + middle);
}

double percentile(std::span<const double> sorted, double part) {
  const double place = part * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (place - below);
}

}  // namespace bert::metric
