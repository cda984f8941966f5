#include "train/moments.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace bert::train {
namespace {

// Index of the first slice of this tensor or of a later one.
size_t first_slice(const std::vector<Slice>& slices, int tensor) {
  return std::ranges::lower_bound(slices, tensor, {}, &Slice::tensor) - slices.begin();
}

}  // namespace

Moments::Moments(const nn::Layout& layout, const std::vector<bool>& held)
    : layout_(&layout), slices_(slices_of(layout)), starts_(slices_.size()) {
  assert(held.empty() || held.size() == slices_.size());
  size_t size = 0;
  for (size_t i = 0; i < slices_.size(); ++i) {
    if (!held.empty() && !held[i]) continue;
    starts_[i] = size;
    size += slices_[i].count;
  }
  m_ = nn::Memory(size);
  v_ = nn::Memory(size);
}

std::span<float> Moments::all(Moment moment) {
  const auto& memory = moment == Moment::m ? m_ : v_;
  return {memory.data(), memory.size()};
}

std::span<const float> Moments::all(Moment moment) const {
  const auto& memory = moment == Moment::m ? m_ : v_;
  return {memory.data(), memory.size()};
}

std::span<float> Moments::slice(Moment moment, size_t slice) {
  if (!holds(slice)) return {};
  return all(moment).subspan(*starts_[slice], slices_[slice].count);
}

std::span<const float> Moments::slice(Moment moment, size_t slice) const {
  if (!holds(slice)) return {};
  return all(moment).subspan(*starts_[slice], slices_[slice].count);
}

void Moments::read(Moment moment, int tensor, std::span<float> to) const {
  for (size_t i = first_slice(slices_, tensor), end = first_slice(slices_, tensor + 1); i < end; ++i) {
    const auto part = part_of(to, slices_[i]);
    if (holds(i)) {
      std::ranges::copy(slice(moment, i).first(part.size()), part.begin());
    } else {
      std::ranges::fill(part, 0.0f);
    }
  }
}

void Moments::fill(Moment moment, int tensor, std::span<const std::byte> from) {
  for (size_t i = first_slice(slices_, tensor), end = first_slice(slices_, tensor + 1); i < end; ++i) {
    if (!holds(i)) continue;
    const auto rest = from.subspan(slices_[i].offset * sizeof(float));
    const auto to = std::as_writable_bytes(slice(moment, i));
    std::memcpy(to.data(), rest.data(), std::min(to.size(), rest.size()));
  }
}

}  // namespace bert::train
