// Means of the rows of sequences.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nn/context.h"
#include "nn/tensor.h"

namespace bert::nn {

// The rows [begin, end) of a sequence.
struct RowRange {
  int64_t begin, end;
};

// x [M,H] -> y [S,H], the mean of each range, which has a row at least.
void mean_rows(Context& context, const Tensor& x, std::span<const RowRange> ranges, Tensor& y);

// dy [S,H] -> dx [M,H], added to. The ranges are disjoint.
void mean_rows_backward(Context& context, const Tensor& dy, std::span<const RowRange> ranges, Tensor& dx);

}  // namespace bert::nn
