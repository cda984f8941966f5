#include "text/characters.h"

#include <doctest/doctest.h>

namespace bert::text {
namespace {

template <class Predicate>
int count(const Predicate& holds) {
  int number = 0;
  for (char32_t c = 0; c < 0x110000; ++c) number += (c < 0xD800 || c >= 0xE000) && holds(c);
  return number;
}

std::vector<char32_t> decomposition(char32_t c, Compat compat) {
  std::vector<char32_t> parts;
  append_decomposition(c, compat, parts);
  return parts;
}

}  // namespace

TEST_CASE("character classes have as many members as the tables of unicode_categories 0.1.1") {
  CHECK(count([](char32_t c) { return is_accent(c, Compat::hf); }) == 1567);
  const int ascii_symbols = 9;  // $+<=>^`|~
  CHECK(count([](char32_t c) { return is_punctuation(c, Compat::hf); }) ==
        73 + 10 + 24 + 10 + 12 + 75 + 513 + ascii_symbols);
  const int private_use = 6400 + 2 * 65534;
  CHECK(count([](char32_t c) { return is_control(c, Compat::hf); }) == 65 - 3 + 150 + private_use);
}

TEST_CASE("characters added after Unicode 8 are letters in Hugging Face mode, not in Google mode") {
  CHECK_FALSE(is_punctuation(0x2E43, Compat::hf));  // dash with left upturn, Unicode 9
  CHECK(is_punctuation(0x2E43, Compat::google));
  CHECK_FALSE(is_accent(0x1E944, Compat::hf));  // Adlam alif lengthener, Unicode 9
  CHECK(is_accent(0x1E944, Compat::google));
  CHECK(combining_class(0x1E944, Compat::hf) == 230);
  CHECK(combining_class(0x1ABF, Compat::hf) == 0);  // Unicode 13: inert
  CHECK(combining_class(0x1ABF, Compat::google) == 220);
  CHECK(decomposition(0x11938, Compat::hf) == std::vector<char32_t>{0x11938});
  CHECK(decomposition(0x11938, Compat::google) == std::vector<char32_t>{0x11935, 0x11930});
}

TEST_CASE("private use is a control character in Hugging Face mode only; tab and newlines never are") {
  CHECK(is_control(0xE123, Compat::hf));
  CHECK_FALSE(is_control(0xE123, Compat::google));
  for (const char32_t c : {U'\t', U'\n', U'\r'}) CHECK_FALSE(is_control(c, Compat::hf));
  CHECK(is_control(0x200D, Compat::google));
}

TEST_CASE("Hugging Face's ideograph block starts later than Google's") {
  CHECK(is_ideograph(0x2B820, Compat::google));
  CHECK_FALSE(is_ideograph(0x2B820, Compat::hf));
  CHECK(is_ideograph(0x2B920, Compat::hf));
  CHECK_FALSE(is_ideograph(0x3042, Compat::hf));  // hiragana
}

TEST_CASE("one code point may lower-case to two") {
  std::vector<char32_t> lowered;
  append_lowercase(0x130, Compat::hf, lowered);
  CHECK(lowered == std::vector<char32_t>{'i', 0x307});
  lowered.clear();
  append_lowercase(0x10D50, Compat::hf, lowered);  // Garay, Unicode 16
  CHECK(lowered == std::vector<char32_t>{0x10D70});
}

}  // namespace bert::text
