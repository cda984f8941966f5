// How late interaction compares two texts, each a matrix of vectors (model::LateInteraction).
#pragma once

#include <cstdint>
#include <span>

#include "nn/kernels/kernels.h"

namespace bert::nn {

// Σ over the rows of query [Q,width] of the largest dot product with a row of document [D,width]. Products
// are in f32, the sum in f64, in order, so the score depends on these two texts alone. Both have a row at
// least.
double max_sim(const Kernels& kernels, std::span<const float> query, std::span<const float> document,
               int64_t width);

}  // namespace bert::nn
