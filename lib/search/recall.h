// How many of the nearest rows an approximate search finds: the first queries are searched exactly, too.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/log.h"
#include "search/nearest.h"

namespace bert::search {

class Recall {
 public:
  // Searches this many queries exactly. `vectors` and the pool must outlive this object.
  Recall(const Vectors& vectors, Metric metric, Pool& pool, int64_t queries, Wanted wanted)
      : exact_(vectors, metric, pool), left_(queries), wanted_(wanted) {}

  // `found`: what the approximate search has found for each query. A row counts if it is not farther than the
  // last one of the exact search. Driver only.
  void add(std::span<const float* const> queries, std::span<const std::vector<Neighbor>> found);
  void report(Log& log) const;

 private:
  ExactSearch exact_;
  int64_t left_;
  const Wanted wanted_;
  int64_t queries_ = 0, nearest_ = 0, found_ = 0;
};

}  // namespace bert::search
