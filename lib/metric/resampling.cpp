#include "metric/resampling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.h"
#include "metric/kept_works.h"

namespace bert::metric {
namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

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

template <class T>
std::vector<T> pick(const std::vector<T>& all, std::span<const uint32_t> numbers) {
  std::vector<T> picked;
  for (const auto number : numbers) picked.push_back(all[number]);
  return picked;
}

template <class T>
std::vector<T> joined(std::vector<T> first, const std::vector<T>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// All numbers from `begin` on.
std::vector<uint32_t> all_from(size_t begin, size_t count) {
  std::vector<uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), static_cast<uint32_t>(begin));
  return numbers;
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

Population records_of(const ScoreOptions& settled, const Works& works, const Works& others) {
  return {.count = works.size(),
          .values = [settled, all = joined(works, others)](std::span<const uint32_t> numbers) {
            return score_values(score_again(settled, pick(all, numbers))->evaluate(), settled.task);
          }};
}

Population queries_of(const std::vector<RankingMeans>& queries, int64_t top_k,
                      const std::vector<RankingMeans>& others) {
  return {.count = queries.size(),
          .values = [top_k, all = joined(queries, others)](std::span<const uint32_t> numbers) {
            Evaluation evaluation;
            evaluation.top_k = top_k;
            evaluation.ranking = mean_of(pick(all, numbers));
            return score_values(evaluation, task::Task::rank);
          }};
}

std::vector<Interval> bootstrap(const Population& population, const Resampling& resampling) {
  const auto values = population.values(all_from(0, population.count));
  const auto rows = rows_of(resampling, [&](int64_t i) {
    return in_order(population.values(draw(population.count, resampling.seed, i)), values);
  });
  std::vector<Interval> intervals;
  for (size_t k = 0; k < values.size(); ++k) intervals.push_back(interval_of(values[k].name, rows, k));
  return intervals;
}

std::vector<Comparison> compare(const Population& population, const Resampling& resampling) {
  const auto count = static_cast<uint32_t>(population.count);
  const auto values = population.values(all_from(0, count));
  const auto other_values = population.values(all_from(count, count));
  // `first` has numbers of either predictions, `second` those of the others.
  const auto difference = [&](const std::vector<uint32_t>& first) {
    auto second = first;
    for (auto& number : second) number += number < count ? count : -count;
    return minus(in_order(population.values(first), values), in_order(population.values(second), values));
  };
  const auto samples =
      rows_of(resampling, [&](int64_t i) { return difference(draw(count, resampling.seed, i)); });
  const auto exchanges = rows_of(resampling, [&](int64_t i) {
    Random random(resampling.seed, {static_cast<uint64_t>(i), 1});
    auto numbers = all_from(0, count);
    for (auto& number : numbers) number += (random.next() & 1) * count;
    return difference(numbers);
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
