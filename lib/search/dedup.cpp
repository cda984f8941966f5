#include "search/dedup.h"

#include <atomic>
#include <cmath>

#include "search/pairs.h"

namespace bert::search {

Dedup::Dedup(int64_t width, Metric metric, double limit, Pool& pool)
    : metric_(metric), limit_(limit), pool_(pool), kept_(width) {}

// 1 for rows that do not reach the limit with any row kept by earlier calls.
std::vector<char> Dedup::unlike_kept(std::span<const float* const> rows) {
  std::vector<char> unlike(rows.size(), 1);
  const std::vector<double> limits(rows.size(), limit_);
  Scan(kept_, metric_, pool_)
      .run({.rows = rows, .limits = limits}, 0, kept_.blocks(),
           [&](int64_t query, int64_t, double value, int) {
             if (value < limit_) return limit_;
             std::atomic_ref<char>(unlike[query]).store(0);
             return static_cast<double>(INFINITY);  // one is enough
           });
  return unlike;
}

std::vector<char> Dedup::keep(std::span<const float* const> rows) {
  auto kept = unlike_kept(rows);
  StoredVectors left(kept_.width());
  std::vector<size_t> places;  // in `rows`
  for (size_t i = 0; i < rows.size(); ++i) {
    if (kept[i] == 0) continue;
    left.add(std::span(rows[i], kept_.width()));
    places.push_back(i);
  }
  PairSearch search(left, metric_, limit_, pool_);
  std::vector<Pair> pairs;
  // Ordered by the first row, so each row is decided before its pairs with later ones are used.
  while (search.next(pairs)) {
    for (const Pair& pair : pairs) {
      if (kept[places[pair.a]] != 0) kept[places[pair.b]] = 0;
    }
  }
  for (const size_t place : places) {
    if (kept[place] != 0) kept_.add(std::span(rows[place], kept_.width()));
  }
  return kept;
}

}  // namespace bert::search
