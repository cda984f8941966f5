#include "text/sorted_subwords.h"

#include <algorithm>
#include <tuple>

namespace bert::text {

void SortedSubwords::add(std::string_view text, int32_t id) {
  uint64_t head = 0;
  for (size_t i = 0; i < 8; ++i) head = head << 8 | (i < text.size() ? static_cast<uint8_t>(text[i]) : 0);
  entries_.push_back({.head = head, .text = text, .id = id});
}

void SortedSubwords::sort() {
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    if (a.head != b.head) return a.head < b.head;
    return std::tie(a.text, a.id) < std::tie(b.text, b.id);
  });
}

}  // namespace bert::text
