#include "text/python_text.h"

#include <doctest/doctest.h>

namespace bert::text {

TEST_CASE("lower-casing matches Python's str.lower") {
  CHECK(python_lower("The CAT, 3") == "the cat, 3");
  CHECK(python_lower("ÄÖÅ ẞ") == "äöå ß");
  CHECK(python_lower("İ") == "i̇");
  CHECK(python_lower("Ⅷ Ⓐ 𐐀") == "ⅷ ⓐ 𐐨");
  SUBCASE("a sigma at the end of a word is final; marks and quotes are ignored") {
    CHECK(python_lower("ΟΔΟΣ Σ") == "οδος σ");
    CHECK(python_lower("ΑΣ'") == "ας'");
    CHECK(python_lower("ΑΣ'Α") == "ασ'α");
    CHECK(python_lower("Α\u0301Σ.") == "α\u0301ς.");
    CHECK(python_lower("ΣΑΣΑ") == "σασα");
  }
}

TEST_CASE("white space is what str.split splits at") {
  for (const char32_t c :
       {0x09, 0x0B, 0x0C, 0x1C, 0x1F, 0x20, 0x85, 0xA0, 0x1680, 0x2003, 0x2028, 0x202F, 0x3000})
    CHECK_MESSAGE(is_python_space(c), "U+", static_cast<unsigned>(c));
  for (const char32_t c : {0x08, 0x1B, 0x21, 0x180E, 0x200B, 0x2060, 0xFEFF})
    CHECK_MESSAGE(!is_python_space(c), "U+", static_cast<unsigned>(c));
}

TEST_CASE("a word character is a letter, a number or _, but not a mark") {
  for (const char32_t c : {U'a', U'Z', U'0', U'_', U'é', U'ª', U'²', U'½', U'Ⅷ', U'中', U'〇', U'٣'})
    CHECK_MESSAGE(is_python_word(c), "U+", static_cast<unsigned>(c));
  for (const char32_t c : {U' ', U'-', U'\u0301', U'\u0903', U'\u200D', U'Ⓐ', U'‿', U'—'})
    CHECK_MESSAGE(!is_python_word(c), "U+", static_cast<unsigned>(c));
}

}  // namespace bert::text
