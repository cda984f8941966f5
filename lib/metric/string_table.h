// Distinct strings, numbered in order of insertion. Memory: the bytes of each string plus 12 to 16 bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bert::metric {

class StringTable {
 public:
  size_t size() const { return ends_.size(); }
  std::string_view at(size_t i) const;  // valid until the next add
  std::optional<uint32_t> find(std::string_view text) const;

  // Returns the string's number and whether it is new.
  std::pair<uint32_t, bool> add(std::string_view text);

 private:
  size_t slot_of(std::string_view text) const;
  void grow();

  std::string bytes_;
  std::vector<uint64_t> ends_;   // end of each string in bytes_
  std::vector<uint32_t> slots_;  // number + 1, 0 if free; open addressing, at most half full
};

}  // namespace bert::metric
