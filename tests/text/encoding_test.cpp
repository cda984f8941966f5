#include "text/encoding.h"

#include <doctest/doctest.h>

#include <string>

#include "base/error.h"

using namespace bert;
using io::Decoder;
using io::InvalidUtf8;

namespace {

// Decodes `bytes` in two parts.
std::string decoded(std::string_view encoding, std::string_view bytes, size_t cut,
                    InvalidUtf8 invalid = InvalidUtf8::error) {
  const auto decoder = text::decoder_for(encoding, invalid);
  std::string out;
  decoder->decode(bytes.substr(0, cut), Decoder::Part::inner, out);
  decoder->decode(bytes.substr(cut), Decoder::Part::inner, out);
  decoder->decode("", Decoder::Part::last, out);
  return out;
}

}  // namespace

TEST_CASE("text is decoded wherever it is cut") {
  const std::string_view utf16("a\0=\xd8\0\xde\xe9\0", 8), sjis = "a\x93\xfa\x96{";
  for (size_t cut = 0; cut <= utf16.size(); ++cut)
    CHECK(decoded("UTF-16LE", utf16, cut) == "a\xf0\x9f\x98\x80\xc3\xa9");
  for (size_t cut = 0; cut <= sjis.size(); ++cut) CHECK(decoded("Shift_JIS", sjis, cut) == "a\u65e5\u672c");
  CHECK(decoded("windows-1252", "\x93x\x94\x80", 1) == "\u201cx\u201d\u20ac");
}

TEST_CASE("bytes that are not in the encoding are an error with their offset, or replaced") {
  CHECK_THROWS_WITH_AS(decoded("UTF-16LE", std::string_view("a\0\0\xdc", 4), 1),
                       doctest::Contains("byte 0x00 at offset 2 is not valid UTF-16LE"), Error);
  CHECK_THROWS_WITH_AS(decoded("UTF-16LE", "a", 0), doctest::Contains("at offset 0"), Error);
  CHECK(decoded("UTF-16LE",
                std::string_view("a\0\0\xdc"
                                 "b\0",
                                 6),
                3, InvalidUtf8::replace) == "a\ufffdb");
  CHECK(decoded("Shift_JIS", "a\x81\nb", 2, InvalidUtf8::replace) == "a\ufffd\nb");
}

TEST_CASE("an unknown encoding is named with the nearest one") {
  CHECK_THROWS_WITH_AS(text::decoder_for("Shft_JIS", InvalidUtf8::error), doctest::Contains("\"Shift_JIS\""),
                       Error);
  CHECK_THROWS_AS(text::decoder_for("", InvalidUtf8::error), Error);
}
