#include "train/subwords.h"

#include <algorithm>

namespace bert::train {

std::vector<Subword> subwords_of(const nn::Layout& layout) {
  constexpr int64_t kLongest = 1 << 16;  // 256 KiB of each array: about 100 µs for a thread
  std::vector<Subword> subwords;
  int64_t start = 0;
  for (size_t tensor = 0; tensor < layout.entries().size(); ++tensor) {
    const int64_t end = start + (layout.entries()[tensor].count() + 63) / 64 * 64;
    for (; start < end; start += subwords.back().count) {
      subwords.push_back({static_cast<int>(tensor), start, std::min(kLongest, end - start)});
    }
  }
  return subwords;
}

}  // namespace bert::train
