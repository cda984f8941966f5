#include "text/utf8.h"

namespace bert::text {

uint32_t encode(char32_t code, char* bytes) {
  const auto tail = [code](int shift) { return static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
  if (code < 0x80) {
    bytes[0] = static_cast<char>(code);
    return 1;
  }
  if (code < 0x800) {
    bytes[0] = static_cast<char>(0xC0 | code >> 6);
    bytes[1] = tail(0);
    return 2;
  }
  if (code < 0x10000) {
    bytes[0] = static_cast<char>(0xE0 | code >> 12);
    bytes[1] = tail(6);
    bytes[2] = tail(0);
    return 3;
  }
  bytes[0] = static_cast<char>(0xF0 | code >> 18);
  bytes[1] = tail(12);
  bytes[2] = tail(6);
  bytes[3] = tail(0);
  return 4;
}

void append(std::string& text, char32_t code) {
  char bytes[4];
  text.append(bytes, encode(code, bytes));
}

size_t count_code_points(std::string_view text) {
  size_t count = 0;
  for (const char byte : text) count += (static_cast<uint8_t>(byte) & 0xC0) != 0x80;
  return count;
}

namespace {

// Size in bytes of the well-formed code point at the start of `text` (Unicode, table 3-7); 0 if none.
size_t well_formed(std::string_view text) {
  const auto byte = [text](size_t i) { return i < text.size() ? static_cast<uint8_t>(text[i]) : 0; };
  const auto is_tail = [&byte](size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4 || !is_tail(1)) return 0;
  if (lead < 0xE0) return 2;
  if (!is_tail(2)) return 0;
  if (lead < 0xF0) {
    const bool overlong = lead == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = lead == 0xED && byte(1) >= 0xA0;
    return overlong || surrogate ? 0 : 3;
  }
  const bool overlong = lead == 0xF0 && byte(1) < 0x90;
  const bool too_large = lead == 0xF4 && byte(1) >= 0x90;
  return is_tail(3) && !overlong && !too_large ? 4 : 0;
}

}  // namespace

bool is_valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const size_t size = well_formed(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

}  // namespace bert::text
