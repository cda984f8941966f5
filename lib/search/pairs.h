// All pairs of rows that are similar enough.
#pragma once

#include <cstdint>
#include <vector>

#include "base/pool.h"
#include "search/scan.h"
#include "search/vectors.h"

namespace bert::search {

struct Pair {
  int64_t a = 0, b = 0;  // rows, a < b
  double value = 0;      // see scan.h
};

// Compares the rows with each other, some rows with all later ones at a time.
class PairSearch {
 public:
  // References must outlive this object. Finds pairs with a value of at least `limit`, at most `most` at a
  // time, unless a single row has more.
  static constexpr int64_t kMost = 4 << 20;
  PairSearch(const Vectors& vectors, Metric metric, double limit, Pool& pool, int64_t most = kMost);

  // Replaces `pairs` by the next ones, ordered by a, then b; possibly none. False after the last row. Driver
  // only.
  bool next(std::vector<Pair>& pairs);

 private:
  bool search(int64_t count, std::vector<Pair>& pairs);

  const Vectors& vectors_;
  const double limit_;
  const int64_t most_;
  Pool& pool_;
  Scan scan_;
  int64_t begin_ = 0;  // the next row
  int64_t step_;       // rows at a time
};

}  // namespace bert::search
