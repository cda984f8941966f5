#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "features/features.h"
#include "features/letters.h"

using namespace bert;
using namespace bert::features;

namespace {

std::string random_letters(std::mt19937& random, size_t most) {
  std::string text;
  for (size_t count = 1 + random() % most; count > 0; --count)
    text.append(1, static_cast<char>('a' + random() % 26)).append(1, ' ');
  return text;
}

// The context of `position`: the smaller number of tokens on either side within A or B.
int64_t context(const Features& window, uint32_t position) {
  for (const text::Span part : {window.first, window.second}) {
    if (position >= part.begin && position < part.end)
      return std::min(position - part.begin, part.end - 1 - position);
  }
  return -1;
}

}  // namespace

TEST_CASE("each token is read once, in the window with the most context for it") {
  const auto tokenizer = letters();
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    const std::string first = random_letters(random, random() % 2 == 0 ? 30 : 4);
    const std::string second = random_letters(random, 30);
    const bool pair = random() % 2 == 0 && first.size() <= 8;
    FeatureOptions options = {.overflow = Overflow::split, .overlap = static_cast<int64_t>(random() % 4)};
    options.specials = random() % 4 != 0;
    const auto given = pair ? std::optional<std::string_view>(second) : std::nullopt;
    const auto whole = Featurizer(tokenizer, options).features(first, given);
    options.max_length = 12 + static_cast<int64_t>(random() % 8);
    options.cut.from_left = random() % 4 == 0;
    const auto windows = Featurizer(tokenizer, options).windows(first, given);
    const auto places = sequence_places(windows);
    REQUIRE(places.size() == whole.ids.size());
    for (uint32_t token = 0; token < places.size(); ++token) {
      const Features& window = windows[places[token].window];
      CHECK(window.ids[places[token].position] == whole.ids[token]);
      if (windows.size() == 1) continue;
      REQUIRE(window.places[places[token].position] == token);
      for (const Features& other : windows) {
        const auto found = std::ranges::lower_bound(other.places, token);
        if (found == other.places.end() || *found != token) continue;
        CHECK(context(other, static_cast<uint32_t>(found - other.places.begin())) <=
              context(window, places[token].position));
      }
    }
  }
}

TEST_CASE("special tokens and the text that is not split are read in the first window") {
  const auto tokenizer = letters();
  const Featurizer featurizer(tokenizer, {.max_length = 8, .overflow = Overflow::split, .overlap = 1});
  const auto windows = featurizer.windows("a b", "c d e f g h");
  REQUIRE(windows.size() == 3);
  std::vector<size_t> read;
  for (const auto& place : sequence_places(windows)) read.push_back(place.window);
  // [CLS] a b [SEP] c d e f g h [SEP]
  CHECK(read == std::vector<size_t>{0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 0});
}

TEST_CASE("a truncated sequence has the tokens that were kept") {
  const auto tokenizer = letters();
  const Featurizer featurizer(tokenizer, {.max_length = 4});
  const auto windows = featurizer.windows("a b c d e");
  REQUIRE(windows.front().places == std::vector<uint32_t>{0, 1, 2, 6});
  const auto places = sequence_places(windows);
  REQUIRE(places.size() == 4);
  for (uint32_t i = 0; i < 4; ++i) CHECK(places[i].position == i);
}
