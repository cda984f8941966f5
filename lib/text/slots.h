// Allocates the children of trie nodes in a double array.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bert::text {

class Slots {
 public:
  static constexpr size_t kFirst = 256;  // lower slots are reserved

  Slots();

  // Takes a base for which the slots base + label are free for all `labels` (ascending, not empty).
  int32_t place(std::span<const uint8_t> labels);

  size_t size() const { return size_; }  // one past the last slot taken

 private:
  uint64_t free_from(size_t slot) const;  // bit i is set if slot + i is free
  size_t find(std::span<const uint8_t> labels);

  std::vector<uint64_t> free_;  // one bit per slot; all slots beyond the end are free
  size_t cursor_ = kFirst;      // where the next search starts
  size_t size_ = kFirst;
};

}  // namespace bert::text
