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
  std::string_view text(size_t i) const { return entries_[i].text; }
  int32_t id(size_t i) const { return entries_[i].id; }

 private:
  struct Entry {
    uint64_t head = 0;  // the first 8 bytes as a number: decides most comparisons
    std::string_view text;
    int32_t id = 0;
  };
  std::vector<Entry> entries_;
};

}  // namespace bert::text
