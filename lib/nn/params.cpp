#include "nn/params.h"

#include <algorithm>

namespace bert::nn {

Params::Params(const Layout& layout) : layout_(&layout) {
  size_t total = 0;
  for (const auto& entry : layout.entries()) {
    starts_.push_back(total);
    total += (static_cast<size_t>(entry.count()) + 63) / 64 * 64;
  }
  memory_ = Memory(total);
}

std::span<float> Params::tensor(int place) {
  return {memory_.data() + start(place),
          static_cast<size_t>(layout_->entries()[static_cast<size_t>(place)].count())};
}

std::span<const float> Params::tensor(int place) const {
  return {memory_.data() + start(place),
          static_cast<size_t>(layout_->entries()[static_cast<size_t>(place)].count())};
}

void Params::clear() { std::ranges::fill(all(), 0.0f); }

}  // namespace bert::nn
