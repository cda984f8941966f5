// Packs strings into one string, for storing many short lists.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace bert::metric {

// Each string is preceded by its length (4 bytes).
inline void pack(std::string& packed, std::string_view text) {
  const auto size = static_cast<uint32_t>(text.size());
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

}  // namespace bert::metric
