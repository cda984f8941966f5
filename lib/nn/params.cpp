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

void Params::clear(Pool& pool) {
  constexpr int64_t kPiece = 1 << 18;  // numbers
  const auto count = static_cast<int64_t>(memory_.size());
  pool.run_grid((count + kPiece - 1) / kPiece, [&](int64_t i, int) {
    std::fill(memory_.data() + i * kPiece, memory_.data() + std::min(count, (i + 1) * kPiece), 0.0f);
  });
}

}  // namespace bert::nn
