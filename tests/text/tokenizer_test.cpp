#include "text/tokenizer.h"

#include <doctest/doctest.h>

#include <random>
#include <thread>

#include "base/error.h"
#include "json/utf8.h"
#include "text/utf8.h"

namespace bert::text {
namespace {

const std::vector<std::string> kSubwords = {
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "un",   "##aff", "##able", "runn", "##ing", "ete",
    "!",     "a",     "##a",   "[",     "]",      "mask", "東",    "京",     "ος",   "οσ",    "##ος",
    "'",     "##s",   "s",     "i",     "do",     "not",  ".",     "n",      "t",    "Ete"};

TokenizerConfig specials_protected() {
  TokenizerConfig config;
  for (const char* token : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"})
    config.added.push_back({.content = token});
  return config;
}

Tokens encode(const Tokenizer& tokenizer, std::string_view text, Wanted wanted = {}) {
  Tokens tokens;
  tokenizer.encode(text, wanted, tokens);
  return tokens;
}

std::vector<std::string> subwords_of(const Tokenizer& tokenizer, std::string_view text) {
  std::vector<std::string> subwords;
  for (const int32_t id : encode(tokenizer, text).ids) subwords.emplace_back(tokenizer.subword(id));
  return subwords;
}

using Subwords = std::vector<std::string>;

}  // namespace

TEST_CASE("the example from Google's published code") {
  const Tokenizer tokenizer(kSubwords, {}, "test");
  CHECK(subwords_of(tokenizer, "UN\u00E0ff\u00E9able Runn\u00EDng") == Subwords{"[UNK]", "runn", "##ing"});
  CHECK(subwords_of(tokenizer, " \tUN\u00E0ff!") == Subwords{"un", "##aff", "!"});
  CHECK(subwords_of(tokenizer, "unaffable") == Subwords{"un", "##aff", "##able"});
  CHECK(subwords_of(tokenizer, "") == Subwords{});
  CHECK(subwords_of(tokenizer, " \n\u3000") == Subwords{});
}

TEST_CASE("offsets refer to the original text") {
  const Tokenizer tokenizer(kSubwords, {}, "test");
  // E+accent, t+ZWSP, e: five code points become "ete"; 東 and 京 are words; the last "aa" follows a
  // full-width space.
  const std::string text = "E\u0301t\u200Be\u0301 東京a\u3000aa";
  const Tokens chars = encode(tokenizer, text, {.offsets = Offsets::chars, .words = true});
  CHECK(chars.ids == std::vector<int32_t>{10, 17, 18, 12, 12, 13});
  CHECK(chars.offsets == std::vector<Span>{{0, 5}, {7, 8}, {8, 9}, {9, 10}, {11, 12}, {12, 13}});
  CHECK(chars.words == std::vector<int32_t>{0, 1, 2, 3, 4, 4});
  const Tokens bytes = encode(tokenizer, text, {.offsets = Offsets::bytes});
  CHECK(bytes.offsets == std::vector<Span>{{0, 8}, {11, 14}, {14, 17}, {17, 18}, {21, 22}, {22, 23}});
}

TEST_CASE("encode appends tokens and restarts word ids at 0") {
  const Tokenizer tokenizer(kSubwords, {}, "test");
  Tokens tokens = encode(tokenizer, "a s", {.offsets = Offsets::bytes, .words = true});
  tokenizer.encode("  s", {.offsets = Offsets::bytes, .words = true}, tokens);
  CHECK(tokens.ids == std::vector<int32_t>{12, 24, 24});
  CHECK(tokens.offsets == std::vector<Span>{{0, 1}, {2, 3}, {2, 3}});
  CHECK(tokens.words == std::vector<int32_t>{0, 1, 0});
}

TEST_CASE("a literal special token is kept whole, except in Google mode") {
  TokenizerConfig config = specials_protected();
  CHECK(subwords_of(Tokenizer(kSubwords, config, "test"), "a[MASK]a [mask]") ==
        Subwords{"a", "[MASK]", "a", "[", "mask", "]"});
  config.compat = Compat::google;
  CHECK(subwords_of(Tokenizer(kSubwords, config, "test"), "[MASK]") == Subwords{"[", "mask", "]"});
}

TEST_CASE("an added token may have an id beyond the vocabulary and is not matched inside words") {
  TokenizerConfig config = specials_protected();
  config.added.push_back({.content = "NEW", .id = 40, .single_word = true, .special = false});
  const Tokenizer tokenizer(kSubwords, config, "test");
  CHECK(tokenizer.size() == 41);
  CHECK(tokenizer.id("NEW") == 40);
  CHECK(tokenizer.subword(40) == "NEW");
  CHECK_FALSE(tokenizer.is_special(40));
  CHECK(subwords_of(tokenizer, "a NEW NEWa") == Subwords{"a", "NEW", "[UNK]"});
}

TEST_CASE("final sigma is handled in Google mode only") {
  TokenizerConfig config;
  CHECK(subwords_of(Tokenizer(kSubwords, config, "test"), "ΟΣ ΟΣ.") == Subwords{"οσ", "οσ", "."});
  config.compat = Compat::google;
  const Tokenizer google(kSubwords, config, "test");
  CHECK(subwords_of(google, "ΟΣ ΟΣ.") == Subwords{"ος", "ος", "."});
  CHECK(subwords_of(google, "Σ.") == Subwords{"[UNK]", "."});
}

TEST_CASE("a word with more code points than the limit is [UNK]") {
  TokenizerConfig config;
  config.max_word_chars = 4;
  const Tokenizer tokenizer(kSubwords, config, "test");
  CHECK(subwords_of(tokenizer, "aaaa aaaaa") == Subwords{"a", "##a", "##a", "##a", "[UNK]"});
  CHECK(subwords_of(tokenizer, "a\u0301a\u0301a\u0301a\u0301") == Subwords{"a", "##a", "##a", "##a"});
}

TEST_CASE("without basic tokenization only white space splits words, and text is not normalized") {
  TokenizerConfig config;
  config.basic_tokenize = false;
  CHECK(subwords_of(Tokenizer(kSubwords, config, "test"), "Ete ete! 東京") ==
        Subwords{"Ete", "[UNK]", "[UNK]"});
}

TEST_CASE("decode joins subword tokens and removes the space before punctuation") {
  const Tokenizer tokenizer(kSubwords, specials_protected(), "test");
  const std::vector<int32_t> ids = {2, 5, 6, 7, 28, 22, 23, 11, 3};
  CHECK(tokenizer.decode(ids, Tokenizer::Specials::keep) == "[CLS] unaffable. 's! [SEP]");
  CHECK(tokenizer.decode(ids, Tokenizer::Specials::skip) == "unaffable. 's!");
  CHECK(tokenizer.decode({}, Tokenizer::Specials::keep) == "");
  const std::vector<int32_t> wrong = {99};
  CHECK_THROWS_WITH_AS(tokenizer.decode(wrong, Tokenizer::Specials::keep),
                       "there is no token 99; the vocabulary has 32", Error);
  TokenizerConfig config;
  config.decode_cleanup = false;
  CHECK(Tokenizer(kSubwords, config, "test").decode(ids, Tokenizer::Specials::skip) == "unaffable . 's !");
}

TEST_CASE("a vocabulary without a required special token is rejected by name") {
  const std::vector<std::string> subwords = {"[PAD]", "[UNK]", "[CLS]", "[SEP]"};
  CHECK_THROWS_WITH_AS(Tokenizer(subwords, {}, "vocab.txt"),
                       "vocab.txt: the mask token [MASK] is not in the vocabulary", Error);
}

TEST_CASE("very long and unusual texts") {
  const Tokenizer tokenizer(kSubwords, specials_protected(), "test");
  const Wanted all{.offsets = Offsets::chars, .words = true};

  std::string line;
  while (line.size() < 10'000'000) line += "unaffable É\u0301[MASK] 東京 ";
  const Tokens tokens = encode(tokenizer, line, all);
  CHECK(tokens.ids.size() == tokens.offsets.size());
  CHECK(tokens.ids.size() == tokens.words.size());
  CHECK(tokens.offsets.back().end == count_code_points(line) - 1);

  const std::string word(1'000'000, 'a');
  CHECK(encode(tokenizer, word, all).offsets == std::vector<Span>{{0, 1'000'000}});

  std::string marks = "a";
  while (marks.size() < 1'000'000)
    marks += "\u0301\U0001D165";  // hundreds of thousands of marks, reordered and kept
  CHECK(encode(tokenizer, marks, all).ids == std::vector<int32_t>{1});

  CHECK(encode(tokenizer, std::string_view("a\0a", 3)).ids == std::vector<int32_t>{12, 13});
  CHECK(encode(tokenizer, std::string_view("\0", 1)).ids.empty());
  CHECK(encode(tokenizer, std::string(100'000, '[')).ids.size() == 100'000);
}

TEST_CASE("offsets ascend and remain within random valid UTF-8 texts") {
  std::mt19937 random(7);
  for (const Compat compat : {Compat::hf, Compat::google}) {
    TokenizerConfig config = specials_protected();
    config.compat = compat;
    const Tokenizer tokenizer(kSubwords, config, "test");
    for (int i = 0; i < 3000; ++i) {
      std::string text;
      for (size_t size = random() % 60; size > 0; --size) {
        text += static_cast<char>(random());
        if (bert::json::is_utf8(text)) continue;
        text.pop_back();
        char32_t c = random() % 0x110000;
        if (c >= 0xD800 && c < 0xE000) c -= 0x800;
        append(text, c);
      }
      const Tokens tokens = encode(tokenizer, text, {.offsets = Offsets::bytes});
      REQUIRE(tokens.ids == encode(tokenizer, text).ids);
      uint32_t begin = 0;
      for (const Span& span : tokens.offsets) {
        const bool ascending = begin <= span.begin && span.begin < span.end && span.end <= text.size();
        REQUIRE(ascending);
        begin = span.begin;
      }
    }
  }
}

TEST_CASE("threads that see the same new characters at the same time get the same result") {
  std::string text;
  for (char32_t c = 0x20; c < 0xD800; c += 7) append(text, c);
  const Tokens expected = encode(Tokenizer(kSubwords, {}, "test"), text);
  for (int round = 0; round < 20; ++round) {
    const Tokenizer tokenizer(kSubwords, {}, "test");
    std::vector<Tokens> results(4);
    {
      std::vector<std::jthread> threads;
      for (Tokens& result : results) threads.emplace_back([&] { tokenizer.encode(text, {}, result); });
    }
    for (const Tokens& result : results) REQUIRE(result.ids == expected.ids);
  }
}

}  // namespace bert::text
