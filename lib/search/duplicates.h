// Rows of Vectors with the same numbers as an earlier row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/pool.h"
#include "search/vectors.h"

namespace bert::search {

struct Duplicate {
  uint32_t of, row;  // of: the first row with these numbers

  auto operator<=>(const Duplicate&) const = default;
};

// All duplicates, in their order. At most 2^32 rows, which must stay.
std::vector<Duplicate> find_duplicates(const Vectors& vectors, Pool& pool);

// For each of `count` rows whether it is a duplicate. Empty if these cannot be the duplicates of so many
// rows.
std::vector<bool> marked(std::span<const Duplicate> duplicates, int64_t count);

}  // namespace bert::search
