#include "text/wordpiece.h"

#include <doctest/doctest.h>

#include <random>
#include <unordered_map>

namespace bert::text {
namespace {

using Ids = std::vector<int32_t>;

// nullopt: the word cannot be split.
std::optional<Ids> split(const WordPiece& wordpiece, std::string_view word) {
  Ids ids;
  int32_t state = wordpiece.begin();
  for (const char byte : word) state = wordpiece.step(state, static_cast<uint8_t>(byte), ids);
  if (!wordpiece.finish(state, ids)) return std::nullopt;
  return ids;
}

// Longest match first, as in Google's code.
std::optional<Ids> split_slowly(const std::unordered_map<std::string, int32_t>& ids,
                                const std::string& word) {
  Ids result;
  for (size_t begin = 0; begin < word.size();) {
    size_t end = word.size();
    while (end > begin && !ids.contains((begin > 0 ? "##" : "") + word.substr(begin, end - begin))) --end;
    if (end == begin) return std::nullopt;
    result.push_back(ids.at((begin > 0 ? "##" : "") + word.substr(begin, end - begin)));
    begin = end;
  }
  return result;
}

}  // namespace

TEST_CASE("the example in the header") {
  const std::vector<std::string> subwords = {"a", "abcdx", "##b", "##c", "##cdy", "##dz"};
  const WordPiece wordpiece(subwords, "##", WordPiece::PrefixInWords::never);
  CHECK(split(wordpiece, "abcdz") == Ids{0, 2, 3, 5});
  CHECK(split(wordpiece, "abcdx") == Ids{1});
  CHECK(split(wordpiece, "abcdy") == Ids{0, 2, 4});
  CHECK(split(wordpiece, "abcd") == std::nullopt);
  CHECK(split(wordpiece, "b") == std::nullopt);
  CHECK(split(wordpiece, "") == std::nullopt);
  CHECK(wordpiece.id("##cdy") == 4);
  CHECK(wordpiece.id("##cd") == std::nullopt);
  CHECK(wordpiece.id("abcd") == std::nullopt);
}

TEST_CASE("the last of duplicate vocabulary entries is used") {
  const std::vector<std::string> subwords = {"a", "##b", "a", "##b", ""};
  const WordPiece wordpiece(subwords, "##", WordPiece::PrefixInWords::never);
  CHECK(split(wordpiece, "ab") == Ids{2, 3});
  CHECK(wordpiece.id("a") == 2);
  CHECK(wordpiece.id("") == std::nullopt);
}

TEST_CASE("an empty vocabulary and one with only the prefix match no word") {
  const WordPiece nothing({}, "##", WordPiece::PrefixInWords::never);
  CHECK(split(nothing, "a") == std::nullopt);
  const std::vector<std::string> subwords = {"##"};
  const WordPiece prefix(subwords, "##", WordPiece::PrefixInWords::possible);
  CHECK(split(prefix, "##") == Ids{0});
  CHECK(split(prefix, "###") == std::nullopt);
}

TEST_CASE("matches longest-first search on random vocabularies of few letters") {
  std::mt19937 random(1);
  const auto below = [&random](size_t n) { return random() % n; };
  const auto letters = [&](size_t size) {
    std::string text;
    while (size-- > 0) text += "ab\xC3#"[below(4)];
    return text;
  };
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> subwords;
    std::unordered_map<std::string, int32_t> ids;
    for (size_t size = 1 + below(40); size > 0; --size) {
      subwords.push_back((below(3) > 0 ? "##" : "") + letters(1 + below(6)));
      ids[subwords.back()] = static_cast<int32_t>(subwords.size()) - 1;
    }
    const WordPiece wordpiece(subwords, "##", WordPiece::PrefixInWords::possible);
    for (int i = 0; i < 100; ++i) {
      const std::string word = letters(1 + below(12));
      CAPTURE(word);
      REQUIRE(split(wordpiece, word) == split_slowly(ids, word));
    }
    for (const auto& [subword, id] : ids) REQUIRE(wordpiece.id(subword) == id);
  }
}

TEST_CASE("a vocabulary of nearly all byte pairs can be built") {
  std::vector<std::string> subwords;
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; b += 3) subwords.push_back({static_cast<char>(a), static_cast<char>(b), 'x'});
  }
  const WordPiece wordpiece(subwords, "@@", WordPiece::PrefixInWords::never);
  for (size_t i = 0; i < subwords.size(); ++i) REQUIRE(wordpiece.id(subwords[i]) == static_cast<int32_t>(i));
}

}  // namespace bert::text
