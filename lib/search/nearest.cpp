#include "search/nearest.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace bert::search {
namespace {

constexpr int64_t kMostQueries = 1024;       // at a time; more would not be faster
constexpr int64_t kMostNeighbors = 4 << 20;  // of all queries and threads at a time, 16 bytes each

constexpr auto kBefore = [](const Neighbor& a, const Neighbor& b) { return a.before(b); };

}  // namespace

void Best::add(const Neighbor& neighbor) {
  if (heap_.size() == count_) {
    if (count_ == 0 || !neighbor.before(heap_.front())) return;
    std::ranges::pop_heap(heap_, kBefore);
    heap_.pop_back();
  }
  heap_.push_back(neighbor);
  std::ranges::push_heap(heap_, kBefore);
}

double Best::limit() const {
  if (count_ == 0) return INFINITY;
  return heap_.size() < count_ ? -INFINITY : heap_.front().value;
}

std::vector<Neighbor> Best::sorted() && {
  std::ranges::sort(heap_, kBefore);
  return std::move(heap_);
}

ExactSearch::ExactSearch(const Vectors& vectors, Metric metric, Pool& pool)
    : vectors_(vectors), pool_(pool), scan_(vectors, metric, pool) {}

std::vector<std::vector<Neighbor>> ExactSearch::nearest(std::span<const float* const> queries,
                                                        Wanted wanted) {
  wanted.count = std::min(wanted.count, vectors_.rows());
  std::vector<std::vector<Neighbor>> results(queries.size());
  const int64_t fit = kMostNeighbors / std::max<int64_t>(1, wanted.count * pool_.size());
  const size_t step = std::clamp<int64_t>(fit, 1, kMostQueries);
  for (size_t begin = 0; begin < queries.size(); begin += step) {
    const size_t size = std::min(step, queries.size() - begin);
    search(queries.subspan(begin, size), wanted, std::span(results).subspan(begin, size));
  }
  return results;
}

// Each thread keeps the best neighbors among the rows that it has seen.
void ExactSearch::search(std::span<const float* const> queries, Wanted wanted,
                         std::span<std::vector<Neighbor>> results) {
  std::vector<std::vector<Best>> best(pool_.size(), std::vector<Best>(queries.size(), Best(wanted.count)));
  const std::vector<double> limits(queries.size(), wanted.least);
  scan_.run({.rows = queries, .limits = limits}, 0, vectors_.blocks(),
            [&](int64_t query, int64_t row, double value, int thread) {
              Best& its = best[thread][query];
              if (value >= wanted.least) its.add({.row = row, .value = value});
              return std::max(its.limit(), wanted.least);
            });
  for (size_t q = 0; q < queries.size(); ++q) {
    for (size_t thread = 1; thread < best.size(); ++thread) {
      for (const Neighbor& neighbor : best[thread][q].all()) best[0][q].add(neighbor);
    }
    results[q] = std::move(best[0][q]).sorted();
  }
}

}  // namespace bert::search
