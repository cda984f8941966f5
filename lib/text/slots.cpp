#include "text/slots.h"

#include <algorithm>
#include <bit>

namespace bert::text {

Slots::Slots() : free_(kFirst / 64, 0) {}

uint64_t Slots::free_from(size_t slot) const {
  const size_t word = slot / 64;
  const size_t shift = slot % 64;
  const uint64_t low = word < free_.size() ? free_[word] : ~uint64_t{0};
  const uint64_t high = word + 1 < free_.size() ? free_[word + 1] : ~uint64_t{0};
  return shift == 0 ? low : low >> shift | high << (64 - shift);
}

// Finds the slot for the first label. Tests 64 positions at a time and soon leaves a crowded region: some
// wasted space is cheaper than a long search.
size_t Slots::find(std::span<const uint8_t> labels) {
  constexpr size_t kTries = 16;
  while (free_from(cursor_) == 0) cursor_ += 64;
  size_t at = cursor_;
  for (size_t tried = 0; at < size_; ++tried, at += 64) {
    if (tried == kTries) {
      cursor_ += 64;
      return size_;
    }
    uint64_t fits = ~uint64_t{0};
    for (const uint8_t label : labels) fits &= free_from(at + label - labels[0]);
    if (fits != 0) return at + std::countr_zero(fits);
  }
  return at;
}

int32_t Slots::place(std::span<const uint8_t> labels) {
  const size_t first = find(labels);
  for (const uint8_t label : labels) {
    const size_t slot = first + label - labels[0];
    if (free_.size() <= slot / 64) free_.resize(slot / 64 + 1, ~uint64_t{0});
    free_[slot / 64] &= ~(uint64_t{1} << slot % 64);
    size_ = std::max(size_, slot + 1);
  }
  return first - labels[0];
}

}  // namespace bert::text
