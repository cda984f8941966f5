#include "text/unigram_learner.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"
#include "text/unigram.h"

namespace bert::text {
namespace {

using Corpus = std::map<std::string, int64_t>;

LearnedUnigram learn(const Corpus& corpus, const LearnerOptions& options) {
  std::vector<WordCount> words;
  for (const auto& [word, count] : corpus) words.push_back({word, count});
  return learn_unigram(words, options);
}

bool has(const LearnedUnigram& learned, const std::string& token) {
  return std::ranges::find(learned.subwords, token) != learned.subwords.end();
}

// 16 stems, each alone and with two endings.
Corpus stems_and_endings() {
  Corpus corpus;
  for (const char consonant : {'b', 'c', 'd', 'f'}) {
    for (const char vowel : {'a', 'e', 'o', 'u'}) {
      const std::string stem = std::string("▁") + consonant + vowel + "lt";
      corpus[stem] = 20;
      corpus[stem + "s"] = corpus[stem + "ing"] = 10;
    }
  }
  return corpus;
}

}  // namespace

TEST_CASE("digamma has the values of tables") {
  CHECK(digamma(1) == doctest::Approx(-0.5772156649015329).epsilon(1e-9));
  CHECK(digamma(0.5) == doctest::Approx(-1.9635100260214235).epsilon(1e-9));
  CHECK(digamma(1000) == doctest::Approx(6.907255195648812).epsilon(1e-9));
}

TEST_CASE("special tokens are where XLM-R has them, and tokens are sorted by score") {
  const auto learned = learn(stems_and_endings(), {.size = 37});
  REQUIRE(learned.subwords.size() == 37);
  CHECK(std::vector(learned.subwords.begin(), learned.subwords.begin() + 4) ==
        std::vector<std::string>{"<s>", "<pad>", "</s>", "<unk>"});
  CHECK(learned.subwords.back() == "<mask>");
  CHECK(learned.data.unk == 3);
  const auto& scores = learned.data.scores;
  REQUIRE(scores.size() == 37);
  CHECK(std::is_sorted(scores.begin() + 4, scores.end() - 1, std::greater<>()));
  CHECK(std::all_of(scores.begin() + 4, scores.end() - 1, [](double score) { return std::isfinite(score); }));
}

TEST_CASE("stems and endings are learned, and all characters stay") {
  const auto learned = learn(stems_and_endings(), {.size = 37});
  for (const auto* token : {"▁balt", "▁fult", "ing", "s", "▁", "g", "o"}) {
    CAPTURE(token);
    CHECK(has(learned, token));
  }
  const Unigram model(learned.subwords, learned.data);
  std::vector<Part> parts;
  model.split("▁colting", parts);
  CHECK(parts.size() == 2);
}

TEST_CASE("tokens that occur too rarely are not learned") {
  CHECK(has(learn({{"▁abcd", 3}}, {}), "▁abcd"));
  CHECK_FALSE(has(learn({{"▁abcd", 3}}, {.min_frequency = 4}), "▁abcd"));
}

TEST_CASE("characters outside the alphabet divide words") {
  const auto learned = learn({{"aaxaa", 5}, {"aa", 9}}, {.alphabet_limit = 1});
  CHECK(has(learned, "aa"));
  CHECK_FALSE(has(learned, "x"));
}

TEST_CASE("long words have finite probabilities") {
  const std::string word(4000, 'a');
  CHECK(has(learn({{word, 3}, {"b", 1}}, {}), "aaaaaaaaaaaaaaaa"));
}

TEST_CASE("an empty corpus has only special tokens; a size without room for the characters is rejected") {
  CHECK(learn({}, {}).subwords.size() == 5);
  CHECK_THROWS_WITH_AS(learn({{"ab", 1}}, {.size = 6}),
                       "a vocabulary of 6 tokens is too small: special tokens and 2 characters are 7", Error);
  CHECK_THROWS_AS(learn({{"ab", INT64_MAX}, {"ac", 1}}, {}), Error);
}

}  // namespace bert::text
