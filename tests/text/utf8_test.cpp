#include "json/utf8.h"

#include <doctest/doctest.h>

#include "text/utf8.h"

namespace bert::text {

TEST_CASE("every code point survives encoding and decoding") {
  std::string text;
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    text.clear();
    append(text, c);
    const CodePoint code = decode(text.data());
    const bool same = code.value == c && code.size == text.size() && bert::json::is_utf8(text) &&
                      count_code_points(text) == 1 && decode_before("x" + text, text.size() + 1).value == c;
    if (!same) FAIL("U+", static_cast<unsigned>(c));
  }
}

TEST_CASE("invalid UTF-8 is rejected") {
  for (const char* bytes : {"\x80", "\xC0\xAF", "\xC1\xBF", "\xC3", "a\xC3g", "\xE0\x9F\xBF", "\xED\xA0\x80",
                            "\xE2\x82", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"}) {
    CAPTURE(bytes);
    CHECK_FALSE(bert::json::is_utf8(bytes));
  }
  CHECK(bert::json::is_utf8(std::string_view("\0 a", 3)));
  CHECK(bert::json::is_utf8(""));
}

}  // namespace bert::text
