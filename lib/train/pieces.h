// An array of Params cut at fixed places, for loops over it that all threads share: what is added up piece by
// piece comes out the same for any number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "nn/weights.h"

namespace bert::train {

struct Piece {
  int tensor;     // its place in the layout
  int64_t start;  // in the whole array
  int64_t count;  // of numbers, a multiple of 64: the zeros behind a tensor belong to it
};

// In the order of the array, none across two tensors.
std::vector<Piece> pieces_of(const nn::Layout& layout);

}  // namespace bert::train
