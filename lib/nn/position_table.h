// Relative positions as the layers of a pass need them; see relative_positions.h.
#pragma once

#include <cstdint>
#include <vector>

#include "nn/tensor.h"

namespace bert::nn {

struct RelativePositionConfig {
  int64_t span = 512;     // rows of the table for each direction
  int64_t distances = 0;  // that share them on a logarithmic scale; 0: each distance has its own row
  bool keys = true, queries = true;  // the terms: keys of positions for queries, queries for keys
  bool own_layers = false;           // project them; otherwise those of the tokens do
  bool norm = false;                 // layer normalization of the table

  int64_t terms() const { return 1 + (keys ? 1 : 0) + (queries ? 1 : 0); }
  bool operator==(const RelativePositionConfig&) const = default;
};

// The rows that a batch needs.
struct PositionTable {
  Tensor rows;                  // [R,H], normalized
  int64_t first = 0;            // number in the table of the first one
  int64_t longest = 0;          // distances are less than that
  std::vector<int32_t> row_of;  // by distance, key - query [2·longest - 1]: index in `rows`

  const int32_t* center() const { return row_of.data() + longest - 1; }  // that of distance 0
};

// What a layer makes of them.
struct ProjectedPositions {
  Tensor rows;           // [R,H] after dropout, in training
  Tensor keys, queries;  // [R,H]
};

}  // namespace bert::nn
