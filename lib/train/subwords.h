// Fixed parts of a Params array, for loops shared by all threads. Sums over parts have the same bits for any
// number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "nn/weights.h"

namespace bert::train {

struct Subword {
  int tensor;     // index in the layout
  int64_t start;  // in the whole array
  int64_t count;  // of numbers, a multiple of 64, including the zeros after a tensor
};

// In the order of the array. No part spans two tensors.
std::vector<Subword> subwords_of(const nn::Layout& layout);

}  // namespace bert::train
