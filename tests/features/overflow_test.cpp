#include "features/overflow.h"

#include <doctest/doctest.h>

#include <random>

#include "../reference/slow_features.h"

using namespace bert;
using namespace bert::features;
using Strategy = text::Truncation::Strategy;

namespace {

// Each token is a word of its own.
reference::Tokens some_tokens(int64_t count) {
  reference::Tokens tokens(static_cast<size_t>(count));
  for (size_t i = 0; i < tokens.size(); ++i) tokens[i].word = static_cast<int32_t>(i);
  return tokens;
}

void check_like_token_by_token(PartLengths lengths, int64_t room, const CutRule& rule) {
  auto a = some_tokens(lengths.first), b = some_tokens(lengths.second);
  reference::cut_pair(a, b, room, rule);
  const PartLengths expected{static_cast<int64_t>(a.size()), static_cast<int64_t>(b.size())};
  CAPTURE(lengths.first);
  CAPTURE(lengths.second);
  CAPTURE(room);
  CHECK(cut_lengths(lengths, room, rule) == expected);
}

}  // namespace

TEST_CASE("longest_first matches a reference that removes tokens one by one") {
  for (const auto compat : {text::Compat::hf, text::Compat::google})
    for (int64_t first = 0; first < 24; ++first)
      for (int64_t second = 0; second < 24; ++second)
        for (int64_t room = 1; room < first + second; ++room)
          check_like_token_by_token({first, second}, room, {.compat = compat});
}

TEST_CASE("an odd token goes to the first part with Google, to the longer part with Hugging Face") {
  using enum text::Compat;
  CHECK(cut_lengths({10, 10}, 7, {.compat = google}) == PartLengths{4, 3});
  CHECK(cut_lengths({10, 10}, 7, {.compat = hf}) == PartLengths{3, 4});
  CHECK(cut_lengths({11, 10}, 7, {.compat = hf}) == PartLengths{4, 3});
  CHECK(cut_lengths({10, 11}, 7, {.compat = google}) == PartLengths{4, 3});
  CHECK(cut_lengths({10, 3}, 7, {.compat = hf}) == PartLengths{4, 3});
  CHECK(cut_lengths({int64_t{1} << 40, 3}, 7, {.compat = google}) == PartLengths{4, 3});
}

TEST_CASE("which part is longer depends on the lengths Hugging Face's tokenizers count") {
  CHECK(cut_lengths({30, 20}, 5, {}) == PartLengths{3, 2});
  CHECK(cut_lengths({30, 20}, 5, {}, PartLengths{8, 8}) == PartLengths{2, 3});
  CHECK(cut_lengths({30, 20}, 5, {}, PartLengths{8, 9}) == PartLengths{2, 3});
  CHECK(cut_lengths({30, 20}, 5, {.compat = text::Compat::google}, PartLengths{8, 9}) == PartLengths{3, 2});
  // Ids 0 to 4 are special tokens, 5 is the word "x", 6 its continuation "##x", 7 an added token.
  const text::Tokenizer tokenizer({"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "x", "##x"},
                                  {.added = {{.content = "[MASK]"}, {.content = "[NEW]", .id = 7}}}, "test");
  const auto counted = [&](std::vector<int32_t> ids, int64_t max_length) {
    return std::pair(counted_length(tokenizer, ids, max_length, false),
                     counted_length(tokenizer, ids, max_length, true));
  };
  CHECK(counted({5, 5, 5}, 9) == std::pair<int64_t, int64_t>{3, 3});
  CHECK(counted({5, 6, 6, 5, 6, 5}, 2) == std::pair<int64_t, int64_t>{3, 3});
  CHECK(counted({5, 6, 6, 5, 6, 5}, 1) == std::pair<int64_t, int64_t>{3, 1});
  CHECK(counted({5, 7, 7, 5, 5}, 2) == std::pair<int64_t, int64_t>{4, 2});
  CHECK(counted({5, 5, 7, 7, 5}, 2) == std::pair<int64_t, int64_t>{2, 4});
  CHECK(counted({5, 7, 7}, 2) == std::pair<int64_t, int64_t>{3, 3});
}

TEST_CASE("only_first and only_second shorten one part but never remove it completely") {
  CHECK(cut_lengths({10, 3}, 9, {.strategy = Strategy::only_first}) == PartLengths{6, 3});
  CHECK(cut_lengths({10, 3}, 12, {.strategy = Strategy::only_second}) == PartLengths{10, 2});
  CHECK(cut_lengths({10, 3}, 10, {.strategy = Strategy::only_second}) == std::nullopt);
  CHECK(cut_lengths({10, 0}, 9, {.strategy = Strategy::only_second}) == std::nullopt);
  CHECK(cut_lengths({10, 0}, 9, {.strategy = Strategy::only_first}) == PartLengths{9, 0});
}

TEST_CASE("windows match a reference that walks token by token") {
  std::mt19937 chance(1);
  for (int round = 0; round < 5000; ++round) {
    const int64_t length = 1 + chance() % 20;
    const Slide rule{length, static_cast<int64_t>(chance() % length), chance() % 2 == 1};
    reference::Tokens tokens(chance() % 100);
    for (size_t i = 0; i < tokens.size(); ++i) tokens[i].id = static_cast<int32_t>(i);
    std::vector<reference::Tokens> found;
    for (const auto window : slide(static_cast<int64_t>(tokens.size()), rule))
      found.emplace_back(tokens.begin() + window.begin, tokens.begin() + window.end);
    REQUIRE(found == reference::slide(tokens, rule));
  }
}

TEST_CASE("neighbouring windows share the overlap, and the last one ends with the last token") {
  CHECK(slide(10, {.length = 4, .overlap = 1}) == std::vector<Window>{{0, 4}, {3, 7}, {6, 10}});
  CHECK(slide(11, {.length = 4, .overlap = 1}) == std::vector<Window>{{0, 4}, {3, 7}, {6, 10}, {9, 11}});
  CHECK(slide(5, {.length = 4, .overlap = 1, .from_left = true}) == std::vector<Window>{{1, 5}, {0, 2}});
  CHECK(slide(4, {.length = 4, .overlap = 3}) == std::vector<Window>{{0, 4}});
  CHECK(slide(0, {.length = 4, .overlap = 1}) == std::vector<Window>{{0, 0}});
}

TEST_CASE("the window with the most context matches run_squad.py") {
  std::mt19937 chance(2);
  for (int round = 0; round < 3000; ++round) {
    const int64_t length = 1 + chance() % 60, count = chance() % 200;
    const Slide rule{length, static_cast<int64_t>(chance() % length), chance() % 4 == 0};
    const auto windows = slide(count, rule);
    REQUIRE(most_context(windows, count) == reference::most_context(windows, count));
  }
}

TEST_CASE(
    "a causal model reads most before a token in the first window with it, or the last one from the left") {
  CHECK(most_context(std::vector<Window>{{0, 5}, {3, 9}, {7, 12}}, 12, Side::before) ==
        std::vector<int32_t>{0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2});
  CHECK(most_context(std::vector<Window>{{3, 7}, {0, 4}}, 7, Side::before) ==
        std::vector<int32_t>{1, 1, 1, 1, 0, 0, 0});
}

TEST_CASE("in an overlap a token belongs to the window with more context, the first one on ties") {
  CHECK(most_context(std::vector<Window>{{0, 5}, {3, 9}}, 9) ==
        std::vector<int32_t>{0, 0, 0, 0, 1, 1, 1, 1, 1});
  CHECK(most_context(std::vector<Window>{{0, 4}, {2, 6}}, 6) == std::vector<int32_t>{0, 0, 0, 1, 1, 1});
  CHECK(most_context(std::vector<Window>{{0, 3}, {2, 5}}, 5) == std::vector<int32_t>{0, 0, 0, 1, 1});
}
