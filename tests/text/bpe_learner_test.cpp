#include "text/bpe_learner.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>

#include "base/error.h"
#include "text/bpe.h"

namespace bert::text {
namespace {

using Merges = std::vector<std::pair<std::string, std::string>>;
using Corpus = std::map<std::string, int64_t>;

LearnedBpe learn(const Corpus& corpus, const LearnerOptions& options) {
  std::vector<WordCount> words;
  for (const auto& [word, count] : corpus) words.push_back({word, count});
  return learn_bpe(words, options);
}

}  // namespace

TEST_CASE("special tokens come first, then the bytes by the code points of their characters") {
  const auto subwords = learn({}, {}).subwords;
  REQUIRE(subwords.size() == 261);
  CHECK(subwords[0] == "<s>");
  CHECK(subwords[4] == "<mask>");
  CHECK(subwords[5] == "!");
  CHECK(subwords[260] == "Ń");  // 0xAD, the soft hyphen
}

TEST_CASE("the most frequent pair is merged first; ties go to the tokens added first") {
  const auto learned = learn({{" ab", 3}, {"ac", 3}, {"bc", 5}}, {.size = 264});
  CHECK(learned.data.merges == Merges{{"b", "c"}, {"a", "b"}, {"a", "c"}});
  CHECK(std::vector(learned.subwords.begin() + 261, learned.subwords.end()) ==
        std::vector<std::string>{"bc", "ab", "ac"});
}

TEST_CASE("characters of several bytes are merged from their bytes") {
  CHECK(learn({{"é", 2}}, {}).data.merges == Merges{{"Ã", "©"}});
}

TEST_CASE("pairs below the minimum frequency are not merged") {
  CHECK(learn({{"ab", 1}}, {.min_frequency = 2}).data.merges.empty());
  CHECK(learn({{"ab", 1}}, {.min_frequency = 1}).data.merges.size() == 1);
}

TEST_CASE("with room enough, each word becomes a token, and a tokenizer can be made of the merges") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    Corpus corpus;
    for (unsigned i = 0; i < 20; ++i) {
      std::string word(1 + random() % 12, 'a');
      for (char& letter : word) letter = static_cast<char>('a' + random() % 3);
      corpus[word] += 1 + static_cast<int64_t>(random() % 50);
    }
    const auto learned = learn(corpus, {.size = 1000, .min_frequency = 1});
    const Bpe bpe(learned.subwords, learned.data);
    CAPTURE(seed);
    for (const auto& word_count : corpus)
      REQUIRE(std::ranges::find(learned.subwords, word_count.first) != learned.subwords.end());
  }
}

TEST_CASE("a size without room for the bytes, and counts beyond 63 bits, are rejected") {
  CHECK_THROWS_WITH_AS(learn({}, {.size = 260}),
                       "a vocabulary of 260 tokens is too small: special tokens and bytes are 261", Error);
  CHECK_THROWS_AS(learn({{"ab", INT64_MAX}}, {}), Error);
}

}  // namespace bert::text
