// The tokens of a vocabulary, sorted by their bytes, then by id.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace bert::text {

class SortedSubwords {
 public:
  void add(std::string_view text, int32_t id);  // stores the view
  void sort();

  size_t size() const { return entries_.size(); }
  size_t length(size_t i) const { return entries_[i].text.size(); }  // length of a token in bytes
  int32_t id(size_t i) const { return entries_[i].id; }

  // Byte `depth` of a token. For the first 8 bytes the text is not accessed.
  uint8_t byte(size_t i, size_t depth) const {
    const Entry& entry = entries_[i];
    if (depth < sizeof entry.head) return static_cast<uint8_t>(entry.head >> (56 - 8 * depth));
    return static_cast<uint8_t>(entry.text[depth]);
  }

 private:
  struct Entry {
    uint64_t head = 0;  // the first 8 bytes as a number, padded with 0; decides most comparisons
    std::string_view text;
    int32_t id = 0;
  };
  std::vector<Entry> entries_;
};

}  // namespace bert::text
