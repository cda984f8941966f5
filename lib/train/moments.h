// The moments m and v of Adam optimizers, for some slices of the parameters. Memory is used only for these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "nn/tensor.h"
#include "nn/weights.h"
#include "train/slices.h"

namespace bert::train {

enum class Moment { m, v };

class Moments {
 public:
  // Zeros. `held` has an entry for each slice of slices_of(layout); empty: all are held. The layout must
  // outlive this object.
  explicit Moments(const nn::Layout& layout, const std::vector<bool>& held = {});

  const nn::Layout& layout() const { return *layout_; }
  const std::vector<Slice>& slices() const { return slices_; }  // of the layout, held or not
  bool holds(size_t slice) const { return starts_[slice].has_value(); }

  // All numbers held for one moment, slice after slice.
  std::span<float> all(Moment moment);
  std::span<const float> all(Moment moment) const;

  // The numbers of a slice, including the zeros after a tensor; empty if the slice is not held.
  std::span<float> slice(Moment moment, size_t slice);
  std::span<const float> slice(Moment moment, size_t slice) const;

  // Copies a tensor. Slices that are not held are 0.
  void read(Moment moment, int tensor, std::span<float> to) const;
  // Fills the slices of a tensor that are held from f32 numbers of the whole tensor, at any alignment.
  void fill(Moment moment, int tensor, std::span<const std::byte> from);

 private:
  const nn::Layout* layout_;
  std::vector<Slice> slices_;
  std::vector<std::optional<size_t>> starts_;  // of each slice, in the memory of a moment
  nn::Memory m_, v_;
};

}  // namespace bert::train
