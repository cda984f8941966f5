// Training's numbers: all tensors of a layout in one flat array of f32, as they lie in a file (row-major, not
// packed). Parameters, their gradients and the optimiser's moments are Params of one layout, so optimisers,
// clipping and snapshots are loops over arrays and know nothing of layers.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/pool.h"
#include "nn/tensor.h"
#include "nn/weights.h"

namespace bert::nn {

class Params {
 public:
  explicit Params(const Layout& layout);  // zeros; the layout outlives this

  const Layout& layout() const { return *layout_; }

  // The whole array. Each tensor begins at a multiple of 64 numbers; what lies between tensors is zero and
  // stays so under anything that maps zeros to zero.
  std::span<float> all() { return {memory_.data(), memory_.size()}; }
  std::span<const float> all() const { return {memory_.data(), memory_.size()}; }

  std::span<float> tensor(int place);
  std::span<const float> tensor(int place) const;

  size_t start(int place) const { return starts_[static_cast<size_t>(place)]; }  // in all()

  void clear(Pool& pool);  // zeros again

 private:
  const Layout* layout_;
  Memory memory_;
  std::vector<size_t> starts_;
};

}  // namespace bert::nn
