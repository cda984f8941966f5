#include "text/unigram.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <random>

#include "base/error.h"

namespace bert::text {
namespace {

using Strings = std::vector<std::string>;

Strings tokens_of(const SubwordModel& model, std::string_view word) {
  std::vector<Part> parts;
  model.split(word, parts);
  Strings tokens;
  for (const Part& part : parts) tokens.emplace_back(word.substr(part.begin, part.end - part.begin));
  return tokens;
}

// The best sum of scores of [at, end), by trying all tokens at each position.
double slow_best(const std::map<std::string, double>& scores, double unknown, std::string_view word) {
  std::vector<double> best(word.size() + 1);
  for (size_t at = word.size(); at-- > 0;) {
    best[at] = unknown + best[at + 1];
    for (size_t end = at + 1; end <= std::min(at + 4, word.size()); ++end) {
      const auto found = scores.find(std::string(word.substr(at, end - at)));
      if (found == scores.end()) continue;
      const double sum = found->second + best[end];
      if (end == at + 1 || sum > best[at]) best[at] = sum;
    }
    // A character with a token of its own is never unknown.
    const auto single = scores.find(std::string(word.substr(at, 1)));
    if (single == scores.end()) continue;
    best[at] = single->second + best[at + 1];
    for (size_t end = at + 2; end <= std::min(at + 4, word.size()); ++end) {
      const auto found = scores.find(std::string(word.substr(at, end - at)));
      if (found != scores.end()) best[at] = std::max(best[at], found->second + best[end]);
    }
  }
  return best[0];
}

}  // namespace

TEST_CASE("Unigram takes the tokens with the highest sum of scores") {
  const Strings subwords{"<unk>", "a", "b", "ab", "abb", "ba"};
  const Unigram unigram(subwords, {.scores = {0, -2, -2, -3, -9, -2.5}});
  CHECK(tokens_of(unigram, "abba") == Strings{"ab", "ba"});
  CHECK(tokens_of(unigram, "abb") == Strings{"ab", "b"});
}

TEST_CASE("adjacent unknown characters are one token, or bytes") {
  Strings subwords{"<unk>", "a"};
  std::vector<double> scores{0, -1};
  CHECK(tokens_of(Unigram(subwords, {.scores = scores}), "axya\u00e9") == Strings{"a", "xy", "a", "\u00e9"});
  CHECK_THROWS_WITH_AS(Unigram(subwords, {.scores = scores, .byte_fallback = true}),
                       "byte_fallback is true, but there is no token <0x00>", Error);
  for (int byte = 0; byte < 256; ++byte) {
    char name[8];
    std::snprintf(name, sizeof name, "<0x%02X>", byte);
    subwords.emplace_back(name);
    scores.push_back(-5);
  }
  std::vector<Part> parts;
  Unigram(subwords, {.scores = scores, .byte_fallback = true}).split("a\u00e9", parts);
  REQUIRE(parts.size() == 3);
  CHECK(parts[1].id == 2 + 0xC3);
  CHECK(parts[2].id == 2 + 0xA9);
  CHECK(parts[1].begin == 1);
  CHECK(parts[1].end == 3);
}

TEST_CASE("the sum of scores is that of a search of all paths, also in words that are cut") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::map<std::string, double> scores;
    Strings subwords{"<unk>"};
    std::vector<double> by_id{0};
    for (int i = 0; i < 12; ++i) {
      std::string subword;
      for (size_t size = 1 + random() % 4; size > 0; --size) subword += static_cast<char>('a' + random() % 3);
      if (!scores.emplace(subword, -1.0 - static_cast<double>(random() % 1000) / 97).second) continue;
      subwords.push_back(subword);
      by_id.push_back(scores[subword]);
    }
    const double unknown = *std::ranges::min_element(by_id) - 10;
    const Unigram unigram(subwords, {.scores = by_id});
    std::string word;
    for (size_t size = round == 0 ? 70000 : 1 + random() % 80; size > 0; --size)
      word += static_cast<char>('a' + random() % 4);
    double sum = 0;
    for (const auto& token : tokens_of(unigram, word))
      sum += scores.contains(token) ? scores[token] : unknown * static_cast<double>(token.size());
    CHECK(sum == doctest::Approx(slow_best(scores, unknown, word)).epsilon(1e-9));
  }
}

}  // namespace bert::text
