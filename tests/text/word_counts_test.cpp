#include "text/word_counts.h"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <string>

#include "base/error.h"
#include "text/words.h"

namespace bert::text {
namespace {

std::vector<std::string> words_of(std::string_view text, const TokenizerConfig& config = {}) {
  const CharacterTable table{CharacterRules(config)};
  std::vector<std::string> words;
  for_each_word(table, text, static_cast<size_t>(config.max_word_chars),
                [&](std::string_view word) { words.emplace_back(word); });
  return words;
}

}  // namespace

TEST_CASE("words are split as by the tokenizer") {
  using Words = std::vector<std::string>;
  CHECK(words_of("  It's 東京, \xC3\x89T\xC3\x89!\r\n") ==
        Words{"it", "'", "s", "東", "京", ",", "ete", "!"});
  CHECK(words_of("\xC3\x89t\xC3\xA9", {.lowercase = false, .strip_accents = false}) ==
        Words{"\xC3\x89t\xC3\xA9"});
  CHECK(words_of("") == Words{});
  CHECK(words_of(std::string(101, 'a') + " b " + std::string(100, 'c')) == Words{"b", std::string(100, 'c')});
}

TEST_CASE("counts match those of a map") {
  std::mt19937 random(1);
  WordCounts counts(1 << 20);
  std::map<std::string, int64_t> expected;
  for (int i = 0; i < 100'000; ++i) {
    const std::string word = std::to_string(random() % (1u << (1 + random() % 16)));
    const auto count = static_cast<int64_t>(1 + random() % 3);
    counts.add(word, count);
    expected[word] += count;
  }
  std::vector<WordCount> sorted;
  for (const auto& [word, count] : expected) sorted.push_back({word, count});
  CHECK(counts.sorted() == sorted);
  CHECK(counts.forgotten() == 0);
}

TEST_CASE("above the limit the rarest words are dropped, and counts remain within the error bound") {
  std::mt19937 random(2);
  constexpr size_t kMost = 64;
  WordCounts counts(kMost);
  std::map<std::string, int64_t> exact;
  for (int i = 0; i < 20'000; ++i) {
    const std::string word = std::to_string(random() % (1u << (random() % 12)));
    counts.add(word);
    ++exact[word];
    REQUIRE(counts.size() <= kMost);
  }
  CHECK(counts.forgotten() > 0);
  for (const auto& [word, count] : counts.sorted()) {
    const int64_t truth = exact.at(std::string(word));
    CHECK(count <= truth);
    CHECK(count >= truth - counts.uncertainty());
  }
  CHECK(counts.sorted().front() == WordCount{"0", exact.at("0")});
}

TEST_CASE("adding a fifth word to a limit of four drops the rarest") {
  WordCounts counts(4);
  for (const char* word : {"a", "a", "a", "b", "b", "c", "d", "e"}) counts.add(word);
  CHECK(counts.sorted() == std::vector<WordCount>{{"a", 3}, {"b", 2}});
  CHECK(counts.forgotten() == 3);
  CHECK(counts.uncertainty() == 1);
}

TEST_CASE("dropped counts near 63 bits saturate") {
  WordCounts counts(1);
  for (const char* word : {"a", "b", "c", "d"}) counts.add(word, INT64_MAX - 1);
  CHECK(counts.forgotten() == 4);
  CHECK(counts.uncertainty() == INT64_MAX);
}

TEST_CASE("a count beyond 63 bits is an error") {
  WordCounts counts(4);
  counts.add("a", INT64_MAX);
  CHECK_THROWS_WITH_AS(counts.add("a"), "the count of a exceeds 63 bits", Error);
}

}  // namespace bert::text
