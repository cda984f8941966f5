#include "json/utf8.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/error.h"

namespace bert::json {
namespace {

// The sequence at the start of a text, or its longest valid prefix.
struct Part {
  size_t size;  // at least 1
  bool valid;
};

// Table 3-7 of The Unicode Standard: the range of the second byte depends on the first, so overlong forms,
// surrogates and code points above U+10FFFF are ill-formed at their second byte.
Part first_part(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {1, true};
  if (lead < 0xc2 || lead > 0xf4) return {1, false};
  const size_t size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  unsigned char low = 0x80, high = 0xbf;
  if (lead == 0xe0) low = 0xa0;
  if (lead == 0xed) high = 0x9f;
  if (lead == 0xf0) low = 0x90;
  if (lead == 0xf4) high = 0x8f;
  for (size_t i = 1; i < size; ++i) {
    if (i >= text.size() || byte(i) < low || byte(i) > high) return {i, false};
    low = 0x80;
    high = 0xbf;
  }
  return {size, true};
}

}  // namespace

bool is_utf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

int64_t count_code_points(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
}

void check_utf8(std::string_view text, size_t begin) {
  if (is_utf8(text)) return;
  size_t at = 0;
  for (Part part = first_part(text); part.valid; part = first_part(text.substr(at))) at += part.size;
  char byte[3];
  std::snprintf(byte, sizeof byte, "%02x", static_cast<unsigned char>(text[at]));
  throw Error("byte 0x", byte, " at offset ", begin + at, " is not valid UTF-8");
}

std::string repair_utf8(std::string_view text) {
  std::string repaired;
  repaired.reserve(text.size() + 16);
  while (!text.empty()) {
    const Part part = first_part(text);
    repaired += part.valid ? text.substr(0, part.size) : "\xef\xbf\xbd";
    text.remove_prefix(part.size);
  }
  return repaired;
}

}  // namespace bert::json
