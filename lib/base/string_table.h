// Many strings in little memory.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bert {

// Distinct strings, numbered in order of insertion. Memory: the bytes of each string plus 16 to 24 bytes.
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

// Appends to a list of strings packed into one string: each is preceded by its length (4 bytes).
inline void pack(std::string& packed, std::string_view text) {
  const uint32_t size = text.size();
  packed.append(reinterpret_cast<const char*>(&size), sizeof size);
  packed += text;
}

// The strings are views into `packed`.
inline std::vector<std::string_view> unpack(std::string_view packed) {
  std::vector<std::string_view> texts;
  while (!packed.empty()) {
    uint32_t size;
    std::memcpy(&size, packed.data(), sizeof size);
    texts.push_back(packed.substr(sizeof size, size));
    packed.remove_prefix(sizeof size + size);
  }
  return texts;
}

}  // namespace bert
