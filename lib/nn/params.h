// Parameters for training: all tensors of a layout in one flat f32 array, row-major and not packed.
// Parameters, gradients and optimizer moments are Params of one layout, so optimizers, clipping and
// checkpoints are loops over arrays that need not know the layers.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/pool.h"
#include "nn/kernels/kernels.h"
#include "nn/tensor.h"
#include "nn/weights.h"

namespace bert::nn {

class Params {
 public:
  explicit Params(const Layout& layout);  // zeros; the layout must outlive this

  const Layout& layout() const { return *layout_; }

  // The whole array. Each tensor begins at a multiple of 64 numbers. Padding is zero and remains so under any
  // operation that maps zeros to zero.
  std::span<float> all();
  std::span<const float> all() const;

  std::span<float> tensor(int place);
  std::span<const float> tensor(int place) const;

  size_t start(int place) const { return starts_[place]; }  // in all()

  // Sets all numbers to zero, lazily, so that gradients that are overwritten anyway need not be zeroed.
  // tensor() zeroes the tensor it returns, settle() all that remain. Before settle(), all() and const access
  // are not allowed.
  void clear();
  void settle(Pool& pool);

  // For code that writes a whole tensor: its numbers, and whether to add to them.
  struct Target {
    std::span<float> numbers;
    Into into;
  };
  Target target(int place);

 private:
  const Layout* layout_;
  Memory memory_;
  std::vector<size_t> starts_;
  std::vector<bool> cleared_;  // for each tensor: its zeros are not written yet
};

}  // namespace bert::nn
