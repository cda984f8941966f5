#include "nn/params.h"

#include <algorithm>
#include <cassert>

namespace bert::nn {

Params::Params(const Layout& layout) : layout_(&layout) {
  size_t total = 0;
  for (const auto& entry : layout.entries()) {
    starts_.push_back(total);
    total += (entry.count() + 63) / 64 * 64;
  }
  memory_ = Memory(total);
  cleared_.resize(starts_.size());
}

std::span<float> Params::all() {
  assert(std::ranges::find(cleared_, true) == cleared_.end());
  return {memory_.data(), memory_.size()};
}

std::span<const float> Params::all() const {
  assert(std::ranges::find(cleared_, true) == cleared_.end());
  return {memory_.data(), memory_.size()};
}

std::span<float> Params::tensor(int place) {
  const auto [numbers, into] = target(place);
  if (into == Into::replace) std::ranges::fill(numbers, 0.0f);
  return numbers;
}

std::span<const float> Params::tensor(int place) const {
  assert(!cleared_[place]);
  return {memory_.data() + start(place), static_cast<size_t>(layout_->entries()[place].count())};
}

Params::Target Params::target(int place) {
  const size_t i = place;
  const Into into = cleared_[i] ? Into::replace : Into::add;
  cleared_[i] = false;
  return {.numbers = {memory_.data() + starts_[i], static_cast<size_t>(layout_->entries()[i].count())},
          .into = into};
}

void Params::clear() { cleared_.assign(starts_.size(), true); }

void Params::settle(Pool& pool) {
  constexpr size_t kSubword = 1 << 18;  // numbers
  std::vector<std::span<float>> subwords;
  for (size_t i = 0; i < starts_.size(); ++i) {
    if (!cleared_[i]) continue;
    const auto numbers = target(i).numbers;
    for (size_t from = 0; from < numbers.size(); from += kSubword) {
      subwords.push_back(numbers.subspan(from, std::min(kSubword, numbers.size() - from)));
    }
  }
  pool.run_grid(subwords.size(), [&](int64_t i, int) { std::ranges::fill(subwords[i], 0.0f); });
}

}  // namespace bert::nn
