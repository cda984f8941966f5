// The pieces of a vocabulary in the order of their bytes, equal ones by id.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace bert::text {

class SortedPieces {
 public:
  void add(std::string_view text, int32_t id);  // keeps the view
  void sort();

  size_t size() const { return entries_.size(); }
  size_t length(size_t i) const { return entries_[i].text.size(); }  // bytes of a piece
  int32_t id(size_t i) const { return entries_[i].id; }

  // Byte `depth` of a piece. The first ones are at hand without a visit to the text.
  uint8_t byte(size_t i, size_t depth) const {
    const Entry& entry = entries_[i];
    if (depth < sizeof entry.head) return static_cast<uint8_t>(entry.head >> (56 - 8 * depth));
    return static_cast<uint8_t>(entry.text[depth]);
  }

 private:
  struct Entry {
    uint64_t head = 0;  // the first 8 bytes as a number, missing ones 0: decides most comparisons
    std::string_view text;
    int32_t id = 0;
  };
  std::vector<Entry> entries_;
};

}  // namespace bert::text
