#include "search/lexical.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/random.h"

namespace bert::search {
namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c == ' ') words.emplace_back();
    if (c != ' ') words.back() += c;
  }
  return words;
}

// By the formula alone.
double slow_score(const std::vector<std::string>& texts, std::string_view query, size_t row) {
  double length = 0, score = 0;
  for (const auto& text : texts) length += words_of(text).size();
  const auto words = words_of(texts[row]);
  for (const auto& term : words_of(query)) {
    double n = 0;
    for (const auto& text : texts) n += std::ranges::count(words_of(text), term) > 0;
    const auto f = static_cast<double>(std::ranges::count(words, term));
    if (f > 0)
      score += std::log(1 + (texts.size() - n + 0.5) / (n + 0.5)) * f /
               (f + 1.2 * (1 - 0.75 + 0.75 * words.size() / (length / texts.size())));
  }
  return score;
}

TEST_CASE("scores are those of the formula") {
  Random random(3, {1});
  const auto words = [&](uint32_t most) {
    std::string text;
    for (uint32_t i = 1 + random.below(most); i > 0; --i)
      text += (text.empty() ? "" : " ") + std::string(1, static_cast<char>('a' + random.below(12)));
    return text;
  };
  for (int run = 0; run < 50; ++run) {
    LexicalIndex index;
    std::vector<std::string> texts;
    for (uint32_t i = 1 + random.below(300); i > 0; --i) index.add(words_of(texts.emplace_back(words(40))));
    REQUIRE(index.rows() == std::ssize(texts));
    const auto query = words(6);
    CAPTURE(query);
    const auto scores = index.scores(words_of(query));
    size_t found = 0;
    for (size_t row = 0; row < texts.size(); ++row) {
      const double expected = slow_score(texts, query, row);
      CHECK(scores.values[row] == doctest::Approx(expected).epsilon(1e-12));
      found += expected > 0;
    }
    CHECK(scores.rows.size() == found);
    const auto best = scores.best(7);
    CHECK(best.size() == std::min<size_t>(7, found));
    for (size_t i = 1; i < best.size(); ++i) CHECK(best[i - 1].before(best[i]));
  }
}

TEST_CASE("rows that have all terms") {
  LexicalIndex index;
  for (const auto* text : {"red ship", "red sea", "the ship is red", "", "ship"}) index.add(words_of(text));
  using Rows = std::vector<int64_t>;
  const std::vector<std::string> both = {"ship", "red"}, none = {"ship", "blue"};
  CHECK(index.rows_with(both) == Rows{0, 2});
  CHECK(index.rows_with(none) == Rows{});
}

}  // namespace
}  // namespace bert::search
