// Slices of parameters: parts of the array of an nn::Params, for loops shared by threads or by processes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nn/weights.h"

namespace bert::train {

struct Slice {
  int tensor;      // index in the layout
  int64_t start;   // in the whole array
  int64_t offset;  // in the tensor
  int64_t count;   // of numbers, a multiple of 64, including the zeros after a tensor
};

// All slices, in the order of the array. No slice spans two tensors. They depend only on the layout, so sums
// over slices have the same bits for any number of threads or processes.
std::vector<Slice> slices_of(const nn::Layout& layout);

// The numbers of a slice in its tensor, without the zeros after it.
std::span<float> part_of(std::span<float> tensor, const Slice& slice);

}  // namespace bert::train
