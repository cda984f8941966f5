// Finds vectors that are too similar to an earlier one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/pool.h"
#include "search/scan.h"
#include "search/vectors.h"

namespace bert::search {

// Keeps each vector unless its value with one that was kept before reaches the limit (see value_at). The
// vectors kept stay in memory.
class Dedup {
 public:
  // References must outlive this object.
  Dedup(int64_t width, Metric metric, double limit, Pool& pool);

  // For each row, which come after all rows of earlier calls: 1 if it is kept, else 0. Driver only.
  std::vector<char> keep(std::span<const float* const> rows);

  int64_t kept() const { return kept_.rows(); }

 private:
  std::vector<char> unlike_kept(std::span<const float* const> rows);

  const Metric metric_;
  const double limit_;
  Pool& pool_;
  StoredVectors kept_;
};

}  // namespace bert::search
