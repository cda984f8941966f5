#include "train/slices.h"

#include <algorithm>

namespace bert::train {

std::vector<Slice> slices_of(const nn::Layout& layout) {
  constexpr int64_t kLongest = 1 << 16;  // 256 KiB of each array: about 100 µs for a thread
  std::vector<Slice> slices;
  int64_t start = 0;
  for (size_t tensor = 0; tensor < layout.entries().size(); ++tensor) {
    const int64_t size = (layout.entries()[tensor].count() + 63) / 64 * 64;
    for (int64_t offset = 0; offset < size; offset += slices.back().count) {
      slices.push_back({.tensor = static_cast<int>(tensor),
                        .start = start + offset,
                        .offset = offset,
                        .count = std::min(kLongest, size - offset)});
    }
    start += size;
  }
  return slices;
}

std::span<float> part_of(std::span<float> tensor, const Slice& slice) {
  const auto rest = tensor.subspan(slice.offset);
  return rest.first(std::min<size_t>(rest.size(), slice.count));
}

}  // namespace bert::train
