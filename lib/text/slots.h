// Finds room for the children of trie nodes in a double array.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bert::text {

class Slots {
 public:
  static constexpr size_t kFirst = 256;  // slots below are not given away

  Slots();

  // A base at which the slots base + label are free for all `labels` (ascending, at least one); takes them.
  int32_t place(std::span<const uint8_t> labels);

  size_t size() const { return size_; }  // one past the last slot taken

 private:
  uint64_t free_from(size_t slot) const;  // bit i: slot + i is free
  size_t find(std::span<const uint8_t> labels);

  std::vector<uint64_t> free_;  // a bit a slot; all beyond the end are free
  size_t cursor_ = kFirst;      // where a search begins
  size_t size_ = kFirst;
};

}  // namespace bert::text
