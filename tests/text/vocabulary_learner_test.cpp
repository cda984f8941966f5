#include "text/vocabulary_learner.h"

#include <doctest/doctest.h>

#include <map>
#include <random>

#include "base/error.h"
#include "reference/slow_vocabulary.h"

namespace bert::text {
namespace {

using Corpus = std::map<std::string, int64_t>;
using Subwords = std::vector<std::string>;

Subwords learn(const Corpus& corpus, const LearnerOptions& options) {
  std::vector<WordCount> words;
  for (const auto& [word, count] : corpus) words.push_back({word, count});
  return learn_vocabulary(words, options);
}

// Without the five special tokens.
Subwords learned(const Corpus& corpus, const LearnerOptions& options) {
  const Subwords subwords = learn(corpus, options);
  return Subwords(subwords.begin() + 5, subwords.end());
}

Subwords slowly(const Corpus& corpus, const LearnerOptions& options) {
  reference::SlowLearner slow{.likelihood = options.criterion == Criterion::likelihood,
                              .size = options.size,
                              .min_frequency = options.min_frequency};
  slow.begin(corpus);
  slow.learn();
  return slow.vocabulary;
}

// Short words of few letters, so that overlaps, ties and tokens produced twice are common.
Corpus random_corpus(std::mt19937& random) {
  const auto below = [&](unsigned bound) { return random() % bound; };
  const unsigned letters = 1 + below(5), words = 1 + below(30), most = 1 + below(12);
  const unsigned counts = 1 + below(below(2) == 0 ? 40 : 4000);
  Corpus corpus;
  for (unsigned i = 0; i < words; ++i) {
    std::string word(1 + below(most), 'a');
    for (char& letter : word) letter = static_cast<char>('a' + below(letters));
    corpus[word] += 1 + below(counts);
  }
  return corpus;
}

}  // namespace

TEST_CASE("the result matches a reference that recounts all pairs before each merge") {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    const Corpus corpus = random_corpus(random);
    const LearnerOptions options{.size = 15 + static_cast<int64_t>(random() % 60),
                                 .min_frequency = 1 + static_cast<int64_t>(random() % 3),
                                 .criterion = seed % 2 == 0 ? Criterion::likelihood : Criterion::frequency};
    CAPTURE(seed);
    REQUIRE(learn(corpus, options) == slowly(corpus, options));
  }
}

TEST_CASE("a gain that rises because a token became rare is updated") {
  // N = 196: he 50·ln(N/80) = 44.8, xy 18·ln(N/18) = 43.0, hi 30·ln(N/80) = 26.9. Merging he leaves 30 of the
  // 80 h, and N = 146: hi 30·ln(N/30) = 47.5, xy 37.7.
  const Subwords subwords = learned({{"he", 50}, {"hi", 30}, {"xy", 18}}, {.size = 100});
  CHECK(Subwords(subwords.end() - 3, subwords.end()) == Subwords{"he", "hi", "xy"});
}

TEST_CASE("a gain that rises slightly because a token became slightly rarer is updated") {
  // N = 30912: qi 25·ln(N/1025) = 85.2, xy 2·ln(N/2) = 19.3, hi 1000·ln(1000·N/(29858·1025)) = 10.0. Merging
  // qi leaves 1000 of the 1025 ##i: hi 33.9.
  const Subwords subwords = learned({{"h", 28858}, {"hi", 1000}, {"qi", 25}, {"xy", 2}}, {.size = 100});
  CHECK(Subwords(subwords.end() - 3, subwords.end()) == Subwords{"qi", "hi", "xy"});
}

TEST_CASE("frequency merges the most frequent pair; ties go to the tokens added first") {
  CHECK(learned({{"ab", 3}, {"ac", 3}, {"bc", 5}}, {.size = 13, .criterion = Criterion::frequency}) ==
        Subwords{"a", "b", "c", "##a", "##b", "##c", "bc", "ab"});
}

TEST_CASE("likelihood prefers tokens that occur together over tokens that are only frequent") {
  // The pair e ##n occurs 30 times, but e and ##n also occur in many other words; q and ##u only occur
  // together.
  const Corpus corpus = {{"en", 30}, {"em", 30}, {"er", 30}, {"an", 30}, {"on", 30}, {"qu", 25}};
  CHECK(learned(corpus, {.size = 22, .criterion = Criterion::frequency})[16] == "an");
  CHECK(learned(corpus, {.size = 22, .criterion = Criterion::likelihood})[16] == "qu");
}

TEST_CASE("special and unused tokens come first") {
  CHECK(learn({{"a", 1}}, {.size = 30522, .unused = 2}) ==
        Subwords{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[unused0]", "[unused1]", "a"});
  CHECK(learn({}, {}).size() == 5);
}

TEST_CASE("only characters of longer words get a continuation token") {
  CHECK(learned({{"!", 4}, {"東", 2}, {"éa", 1}}, {}) == Subwords{"!", "a", "é", "東", "##a", "##é"});
}

TEST_CASE("the alphabet keeps the most frequent characters; words with other characters are ignored") {
  const Corpus corpus = {{"ab", 5}, {"abz", 4}, {"c", 3}};
  CHECK(learned(corpus, {.size = 30, .alphabet_limit = 2}) == Subwords{"a", "b", "##a", "##b", "ab"});
  // c and z are equally frequent; the lower code point is kept.
  CHECK(learned({{"zc", 5}}, {.size = 30, .alphabet_limit = 1}) == Subwords{"c", "##c"});
}

TEST_CASE("rare pairs are not merged") {
  CHECK(learned({{"ab", 1}}, {.min_frequency = 2}) == Subwords{"a", "b", "##a", "##b"});
  CHECK(learned({{"ab", 1}}, {.min_frequency = 1}).back() == "ab");
}

TEST_CASE("a size without room for the alphabet is rejected") {
  CHECK_THROWS_WITH_AS(
      learn({{"ab", 1}}, {.size = 8}),
      "a vocabulary of 8 tokens is too small: special tokens, unused tokens and 2 characters, "
      "with and without ##, are 9",
      Error);
  CHECK(learn({{"ab", 1}}, {.size = 9}).size() == 9);
}

TEST_CASE("counts are 64-bit") {
  const int64_t large = int64_t{1} << 40;
  CHECK(learned({{"ab", large}, {"cd", large + 1}}, {.size = 14, .criterion = Criterion::frequency}).back() ==
        "cd");
  CHECK_THROWS_AS(learn({{"ab", INT64_MAX}}, {}), Error);
}

}  // namespace bert::text
