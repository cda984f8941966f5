// Each row of a sequence with the first one added: y[m] = x[m] + x[first]. A head reads the token [CLS] so.
#pragma once

#include <cstdint>
#include <span>

#include "nn/context.h"
#include "nn/tensor.h"

namespace bert::nn {

// x [M,H] becomes y. A sequence has the rows offsets[i] to offsets[i + 1], which may be none.
void add_first_rows(Context& context, std::span<const int64_t> offsets, Tensor& x);

// dy [M,H] becomes dx.
void add_first_rows_backward(Context& context, std::span<const int64_t> offsets, Tensor& dy);

}  // namespace bert::nn
