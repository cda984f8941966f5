// Training's numbers: all tensors of a layout in one flat array of f32, as they lie in a file (row-major, not
// packed). Parameters, their gradients and the optimiser's moments are Params of one layout, so optimisers,
// clipping and snapshots are loops over arrays and know nothing of layers.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/pool.h"
#include "nn/kernels.h"
#include "nn/tensor.h"
#include "nn/weights.h"

namespace bert::nn {

class Params {
 public:
  explicit Params(const Layout& layout);  // zeros; the layout outlives this

  const Layout& layout() const { return *layout_; }

  // The whole array. Each tensor begins at a multiple of 64 numbers; what lies between tensors is zero and
  // stays so under anything that maps zeros to zero.
  std::span<float> all();
  std::span<const float> all() const;

  std::span<float> tensor(int place);
  std::span<const float> tensor(int place) const;

  size_t start(int place) const { return starts_[static_cast<size_t>(place)]; }  // in all()

  // Zeros again, but nothing is written: a matrix whose gradient is written as a whole would be zeroed for
  // nothing. tensor() writes the zeros of what it is asked for, settle() all that are left; before that,
  // all() and const readers may not look.
  void clear();
  void settle(Pool& pool);

  // For one who writes all of a tensor: its numbers, and whether there are any to add to.
  struct Target {
    std::span<float> numbers;
    Into into;
  };
  Target target(int place);

 private:
  const Layout* layout_;
  Memory memory_;
  std::vector<size_t> starts_;
  std::vector<bool> cleared_;  // each tensor: its zeros are not written yet
};

}  // namespace bert::nn
