// UTF-8: encoding and decoding of single code points, and texts that need neither.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "json/utf8.h"

namespace bert::text {

struct CodePoint {
  char32_t value = 0;
  uint32_t size = 0;  // number of bytes, 1 to 4
};

// Decodes the code point at `bytes`, which must be valid UTF-8.
[[gnu::always_inline]] inline CodePoint decode(const char* bytes) {
  const auto at = [bytes](int i) { return static_cast<uint8_t>(bytes[i]); };
  const auto tail = [&at](int i) { return static_cast<char32_t>(at(i) & 0x3F); };
  if (at(0) < 0x80) return {at(0), 1};
  if (at(0) < 0xE0) return {(at(0) & 0x1Fu) << 6 | tail(1), 2};
  if (at(0) < 0xF0) return {(at(0) & 0x0Fu) << 12 | tail(1) << 6 | tail(2), 3};
  return {(at(0) & 0x07u) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3), 4};
}

// Whether the byte is not the first one of a code point.
inline bool is_continuation_byte(char byte) { return (static_cast<uint8_t>(byte) & 0xC0) == 0x80; }

inline bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<uint8_t>(c) < 0x80; });
}

// The code point that ends at `end` > 0.
inline CodePoint decode_before(std::string_view text, size_t end) {
  size_t begin = end - 1;
  while ((static_cast<uint8_t>(text[begin]) & 0xC0) == 0x80) --begin;
  return decode(text.data() + begin);
}

// Writes `code` as UTF-8 to `bytes` (4 bytes available) and returns its size.
uint32_t encode(char32_t code, char* bytes);
void append(std::string& text, char32_t code);

// Number of code points that start in `text`.
inline size_t count_code_points(std::string_view text) { return json::count_code_points(text); }

}  // namespace bert::text
