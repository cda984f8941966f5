#include "text/bpe.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

namespace bert::text {
namespace {

using Strings = std::vector<std::string>;

Strings words_of(std::string_view text) {
  Strings words;
  for (size_t at = 0; at < text.size();) {
    const size_t end = gpt2_word_end(text, at);
    words.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

// Merges the pair that was learned first wherever it occurs, again and again.
Strings slow_tokens(const BpeData& data, std::string_view word) {
  Strings tokens;
  for (const char c : word) tokens.emplace_back(1, c);
  for (bool merged = true; merged;) {
    merged = false;
    for (const auto& [first, second] : data.merges) {
      for (size_t i = 0; i + 1 < tokens.size(); ++i) {
        if (tokens[i] != first || tokens[i + 1] != second) continue;
        tokens[i] += second;
        tokens.erase(tokens.begin() + static_cast<ptrdiff_t>(i) + 1);
        merged = true;
      }
      if (merged) break;
    }
  }
  return tokens;
}

}  // namespace

TEST_CASE("the pattern of GPT-2 splits at spaces, classes and contractions") {
  CHECK(words_of("Hello, it's 42  years\n\n old") ==
        Strings{"Hello", ",", " it", "'s", " 42", " ", " years", "\n\n", " old"});
  CHECK(words_of("'sx 'll'"
                 "\u00e9t\u00e9 \u00b2") == Strings{"'s", "x", " '", "ll", "'", "\u00e9t\u00e9", " \u00b2"});
  CHECK(words_of(" \u3000 ") == Strings{" \u3000 "});
  CHECK(words_of("") == Strings{});
}

TEST_CASE("BPE merges like a slow twin, with few symbols and many") {
  std::mt19937 random(3);
  for (int round = 0; round < 150; ++round) {
    Strings subwords = {byte_characters().begin(), byte_characters().end()};
    Strings parts{"a", "b", "c"};
    BpeData data;
    for (int i = 0; i < 15; ++i) {
      const auto &first = parts[random() % parts.size()], &second = parts[random() % parts.size()];
      const std::pair merge(first, second);
      if (std::ranges::find(data.merges, merge) != data.merges.end()) continue;
      data.merges.push_back(merge);
      parts.push_back(merge.first + merge.second);
      subwords.push_back(parts.back());
    }
    const Bpe bpe(subwords, data);
    std::string word;
    for (size_t size = 1 + random() % 90; size > 0; --size) word += static_cast<char>('a' + random() % 3);
    std::vector<Part> found;
    bpe.split(word, found);
    Strings tokens;
    for (const Part& part : found) tokens.emplace_back(word.substr(part.begin, part.end - part.begin));
    CHECK(tokens == slow_tokens(data, word));
  }
}

}  // namespace bert::text
