#include "corpus/masking.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>

#include "../reference/slow_masking.h"
#include "base/error.h"
#include "chi_square.h"
#include "sanitized.h"

using namespace bert;
using namespace bert::corpus;
using Ids = std::vector<int32_t>;
using Unit = MaskRule::Unit;
using Replacements = MaskRule::Replacements;

namespace {

constexpr int32_t kUnk = 1, kCls = 2, kSep = 3, kMask = 4;
constexpr int32_t kWord = 10, kWords = 40;                    // w0 … w39
constexpr int32_t kSubword = kWord + kWords, kSubwords = 20;  // ##p0 … ##p19
constexpr int32_t kSize = kSubword + kSubwords;

std::vector<std::string> subwords() {
  std::vector<std::string> subwords{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
  for (int i = 0; i < 5; ++i) subwords.push_back("[unused" + std::to_string(i) + "]");
  for (int i = 0; i < kWords; ++i) subwords.push_back("w" + std::to_string(i));
  for (int i = 0; i < kSubwords; ++i) subwords.push_back("##p" + std::to_string(i));
  return subwords;
}

text::Tokenizer vocabulary() { return text::Tokenizer(subwords(), {}, "test"); }

bool is_special(int32_t id) { return id < 5; }

// [CLS] A [SEP], or [CLS] A [SEP] B [SEP]; words of one to four subword tokens, sometimes [UNK].
Ids random_instance(std::mt19937& chance, int most_words) {
  Ids ids{kCls};
  for (uint32_t parts = 1 + chance() % 2; parts > 0; --parts) {
    for (uint32_t words = chance() % static_cast<uint32_t>(most_words); words > 0; --words) {
      const bool known = chance() % 20 != 0;
      ids.push_back(known ? kWord + static_cast<int32_t>(chance() % kWords) : kUnk);
      for (uint32_t more = chance() % 8; known && more < 3; ++more)
        ids.push_back(kSubword + static_cast<int32_t>(chance() % kSubwords));
    }
    ids.push_back(kSep);
  }
  return ids;
}

int64_t candidates(const Ids& ids) {
  return std::count_if(ids.begin(), ids.end(), [](int32_t id) { return !is_special(id); });
}

// Checks that hold for every masked instance under any rule.
void check_sound(const Ids& before, const Ids& after, const std::vector<Prediction>& hidden) {
  REQUIRE(before.size() == after.size());
  Ids restored = after;
  int32_t last = -1;
  for (const auto& [position, id] : hidden) {
    REQUIRE(position > last);
    REQUIRE(position < static_cast<int32_t>(before.size()));
    REQUIRE(!is_special(id));
    restored[static_cast<size_t>(position)] = id;
    last = position;
  }
  REQUIRE(restored == before);
}

}  // namespace

TEST_CASE("the number of masked tokens is rounded as by Python's round()") {
  const auto wanted = [](int64_t length) { return predictions_wanted(length, {}); };
  const std::map<int64_t, int64_t> python{{3, 1},    {4, 1},    {9, 1},    {10, 2},  {11, 2},
                                          {30, 4},   {50, 8},   {70, 10},  {90, 14}, {110, 16},
                                          {128, 19}, {130, 20}, {150, 22}, {512, 77}};
  for (const auto& known : python) CHECK_MESSAGE(wanted(known.first) == known.second, "length ", known.first);
  for (const double probability : {0.0, 0.15, 0.25, 0.4, 0.5, 1.0})
    for (int length = 1; length <= 600; ++length)
      REQUIRE(predictions_wanted(length, {.probability = probability}) ==
              std::max(1, reference::round_half_even(length * probability)));
  CHECK(predictions_wanted(512, {.max_predictions = 20}) == 20);
  CHECK(predictions_wanted(128, {.max_predictions = 20}) == 19);
  CHECK(predictions_wanted(2, {.max_predictions = 1}) == 1);
}

TEST_CASE("a million instances have the exact number of masked tokens and 80/10/10 shares") {
  const auto tokenizer = vocabulary();
  const Masker masker(tokenizer, {}), capped(tokenizer, {.max_predictions = 3});
  std::mt19937 chance(1);
  std::vector<int64_t> outcomes(3);  // [MASK], another token, the same token
  int64_t short_of_candidates = 0;
  Ids ids, before;
  for (uint64_t place = 0; place < 1'000'000; ++place) {
    if (place % 50 == 0) before = random_instance(chance, 12);
    ids = before;
    const bool has_cap = place % 2 == 1;
    const auto hidden = (has_cap ? capped : masker).mask(ids, Random(7, {place}));
    const int rounded = std::max(1, reference::round_half_even(static_cast<int>(ids.size()) * 0.15));
    const int64_t wanted = has_cap ? std::min(rounded, 3) : rounded, most = candidates(before);
    REQUIRE(static_cast<int64_t>(hidden.size()) == std::min(wanted, most));
    short_of_candidates += most < wanted;
    if (place % 50 == 0) check_sound(before, ids, hidden);
    for (const auto& [position, id] : hidden) {
      const int32_t now = ids[static_cast<size_t>(position)];
      ++outcomes[now == kMask ? 0 : now != id ? 1 : 2];
    }
  }
  CHECK(short_of_candidates > 100);
  // A random token equals the original once in kWords + kSubwords draws.
  const double lucky = 0.1 / (kWords + kSubwords);
  CHECK(test::agrees(outcomes, {0.8, 0.1 - lucky, 0.1 + lucky}));
  CHECK(!test::agrees(outcomes, {0.802, 0.099 - lucky, 0.099 + lucky}));
}

TEST_CASE("the masking rates of table 8 of the BERT paper can be set") {
  const auto tokenizer = vocabulary();
  const std::vector<std::vector<double>> rows{{0.8, 0.1, 0.1}, {1, 0, 0}, {0.8, 0, 0.2}, {0.8, 0.2, 0},
                                              {0, 0.2, 0.8},   {0, 0, 1}};  // [MASK], same, random
  std::mt19937 chance(2);
  for (const auto& row : rows) {
    const Masker masker(tokenizer, {.mask_rate = row[0], .random_rate = row[2]});
    std::vector<int64_t> outcomes(3);
    for (uint64_t place = 0; place < 20'000; ++place) {
      const Ids before = random_instance(chance, 30);
      Ids ids = before;
      for (const auto& [position, id] : masker.mask(ids, Random(8, {place}))) {
        const int32_t now = ids[static_cast<size_t>(position)];
        ++outcomes[now == kMask ? 0 : now == id ? 1 : 2];
      }
    }
    const double lucky = row[2] / (kWords + kSubwords);
    CHECK_MESSAGE(test::agrees(outcomes, {row[0], row[1] + lucky, row[2] - lucky}), row[0], " ", row[1], " ",
                  row[2]);
  }
}

TEST_CASE("all positions are equally likely to be masked, and all ordinary tokens to replace them") {
  const auto tokenizer = vocabulary();
  for (const auto replacements : {Replacements::ordinary, Replacements::every}) {
    const Masker masker(tokenizer, {.mask_rate = 0, .random_rate = 1, .replacements = replacements});
    Ids before{kCls};
    for (int i = 0; i < 18; ++i) before.push_back(kWord + i);
    before.push_back(kSep);
    std::vector<int64_t> places(before.size() - 2), put_in(kSize);
    for (uint64_t place = 0; place < 100'000; ++place) {
      Ids ids = before;
      for (const auto& [position, id] : masker.mask(ids, Random(9, {place}))) {
        ++places.at(static_cast<size_t>(position) - 1);
        ++put_in.at(static_cast<size_t>(ids[static_cast<size_t>(position)]));
      }
    }
    CHECK(test::equally_likely(places));
    std::vector<double> shares(kSize, 1.0 / kSize);
    if (replacements == Replacements::ordinary)
      for (int32_t id = 0; id < kSize; ++id)
        shares[static_cast<size_t>(id)] = id < kWord ? 0 : 1.0 / (kSize - kWord);
    CHECK(test::agrees(put_in, shares));
  }
}

namespace {

reference::SlowMaskRule slow_rule(const MaskRule& rule) {
  reference::SlowMaskRule slow{
      .masked_lm_prob = rule.probability,
      .max_predictions_per_seq = static_cast<int>(rule.max_predictions.value_or(1000)),
      .do_whole_word_mask = rule.unit == Unit::word,
      .mask_rate = rule.mask_rate,
      .random_rate = rule.random_rate,
      .not_candidates = {},
      .vocabulary = subwords()};
  const auto all = subwords();
  slow.not_candidates.insert(all.begin(), all.begin() + 5);
  if (rule.replacements == Replacements::ordinary)
    slow.vocabulary.erase(slow.vocabulary.begin(), slow.vocabulary.begin() + kWord);
  return slow;
}

std::vector<std::string> tokens_of(const text::Tokenizer& tokenizer, const Ids& ids) {
  std::vector<std::string> tokens;
  for (const int32_t id : ids) tokens.emplace_back(tokenizer.subword(id));
  return tokens;
}

}  // namespace

TEST_CASE("with the same random numbers the masks match Google's algorithm") {
  const auto tokenizer = vocabulary();
  std::mt19937 chance(3);
  int64_t hidden_count = 0;
  for (uint64_t round = 0; round < 10'000; ++round) {
    MaskRule rule{.probability = static_cast<double>(chance() % 100) / 100,
                  .mask_rate = static_cast<double>(chance() % 60) / 100,
                  .random_rate = static_cast<double>(chance() % 40) / 100};
    if (chance() % 2 == 0) rule.max_predictions = 1 + chance() % 10;
    if (chance() % 2 == 0) rule.unit = Unit::word;
    if (chance() % 2 == 0) rule.replacements = Replacements::every;
    const Ids before = random_instance(chance, 20);
    Ids ids = before;
    const auto hidden = Masker(tokenizer, rule).mask(ids, Random(round));
    check_sound(before, ids, hidden);

    Random random(round);
    const auto slow = reference::create_masked_lm_predictions(
        tokens_of(tokenizer, before), slow_rule(rule),
        {.shuffle = [&](std::vector<std::vector<int>>& order) { random.shuffle(order); },
         .uniform = [&] { return random.uniform(); },
         .below = [&](int bound) { return static_cast<int>(random.below(static_cast<uint32_t>(bound))); }});
    REQUIRE(tokens_of(tokenizer, ids) == slow.tokens);
    REQUIRE(hidden.size() == slow.positions.size());
    for (size_t i = 0; i < hidden.size(); ++i) {
      REQUIRE(hidden[i].position == slow.positions[i]);
      REQUIRE(tokenizer.subword(hidden[i].id) == slow.labels[i]);
    }
    hidden_count += static_cast<int64_t>(hidden.size());
  }
  CHECK(hidden_count > 50'000);
}

TEST_CASE("with other random numbers the distribution of masks matches Google's algorithm") {
  const auto tokenizer = vocabulary();
  const int32_t w = kWord, p = kSubword;
  const Ids before{kCls, w, p, w + 1, w + 2, p + 1, p + 2, w + 3, kSep, w + 4, p + 3, kSep};
  std::mt19937 chance(4);
  for (const auto unit : {Unit::token, Unit::word}) {
    const MaskRule rule{.probability = 0.25, .unit = unit};  // three of twelve
    const Masker masker(tokenizer, rule);
    const auto slow = slow_rule(rule);
    const auto tokens = tokens_of(tokenizer, before);
    // Masked positions, and the number of [MASK] tokens.
    std::map<std::pair<std::vector<int>, int64_t>, std::pair<int64_t, int64_t>> outcomes;
    for (uint64_t round = 0; round < 50'000; ++round) {
      Ids ids = before;
      std::vector<int> positions;
      for (const auto& hidden : masker.mask(ids, Random(5, {round}))) positions.push_back(hidden.position);
      ++outcomes[{positions, std::count(ids.begin(), ids.end(), kMask)}].first;
      const auto other = reference::create_masked_lm_predictions(
          tokens, slow,
          {.shuffle =
               [&](std::vector<std::vector<int>>& order) {
                 std::shuffle(order.begin(), order.end(), chance);
               },
           .uniform = [&] { return std::uniform_real_distribution<>()(chance); },
           .below = [&](int bound) { return std::uniform_int_distribution<>(0, bound - 1)(chance); }});
      ++outcomes[{other.positions, std::count(other.tokens.begin(), other.tokens.end(), "[MASK]")}].second;
    }
    CHECK(outcomes.size() > 10);
    CHECK(test::alike(outcomes));
  }
}

TEST_CASE("whole-word masking masks complete words and fills the quota, on a million instances") {
  const auto tokenizer = vocabulary();
  const Masker masker(tokenizer, {.unit = Unit::word});
  std::mt19937 chance(5);
  int64_t exact = 0;
  Ids ids, before;
  std::vector<bool> is_hidden;
  for (uint64_t place = 0; place < tried(1'000'000); ++place) {
    if (place % 20 == 0) before = random_instance(chance, 40);
    ids = before;
    const auto hidden = masker.mask(ids, Random(10, {place}));
    if (place % 20 == 0) check_sound(before, ids, hidden);
    is_hidden.assign(before.size(), false);
    for (const auto& [position, id] : hidden) is_hidden[static_cast<size_t>(position)] = true;
    const int64_t wanted = std::max(1, reference::round_half_even(static_cast<int>(ids.size()) * 0.15));
    const auto left = wanted - static_cast<int64_t>(hidden.size());
    REQUIRE(left >= 0);
    for (size_t begin = 0, end; begin < before.size(); begin = end) {
      for (end = begin + 1; end < before.size() && before[end] >= kSubword; ++end)
        REQUIRE(is_hidden[end] == is_hidden[begin]);
      if (!is_special(before[begin]) && !is_hidden[begin]) REQUIRE(static_cast<int64_t>(end - begin) > left);
    }
    exact += left == 0;
  }
  CHECK(exact > tried(900'000));
}

TEST_CASE("the rest of a word cut off at the front is a word of its own") {
  const auto tokenizer = vocabulary();
  const Masker masker(tokenizer, {.probability = 0.3, .mask_rate = 1, .random_rate = 0, .unit = Unit::word});
  // The quota is two of seven tokens. Google's groups are {1, 3, 4} and {5}.
  const Ids before{kCls, kWord, kSep, kSubword, kSubword + 1, kWord + 1, kSep};
  std::set<Ids> seen;
  for (uint64_t place = 0; place < 200; ++place) {
    Ids ids = before;
    masker.mask(ids, Random(11, {place}));
    seen.insert(ids);
  }
  CHECK(seen == std::set<Ids>{{kCls, kMask, kSep, kSubword, kSubword + 1, kMask, kSep},
                              {kCls, kWord, kSep, kMask, kMask, kWord + 1, kSep}});
  Ids first{kSubword, kSubword + 1};
  CHECK(masker.mask(first, Random(12)).empty());  // the quota is one token, the word has two
  CHECK(first == Ids{kSubword, kSubword + 1});
}

TEST_CASE("special tokens are never masked; the quota may include all other tokens") {
  const auto tokenizer = vocabulary();
  const Masker all(tokenizer, {.probability = 1});
  Ids ids{kCls, kUnk, kMask, 0, kWord, kSep, kSubword, kSep};
  CHECK(all.mask(ids, Random(1)) == std::vector<Prediction>{{4, kWord}, {6, kSubword}});
  Ids specials{kCls, kUnk, kSep}, none;
  CHECK(all.mask(specials, Random(1)).empty());
  CHECK(specials == Ids{kCls, kUnk, kSep});
  CHECK(all.mask(none, Random(1)).empty());
}

TEST_CASE("without masking, each token predicts the next one, special tokens included") {
  const Masker next(vocabulary(), {.target = MaskRule::Target::next});
  const Ids before{kCls, kWord, kUnk, kSep};
  Ids ids = before, one{kCls}, none;
  CHECK(next.mask(ids, Random(1)) == std::vector<Prediction>{{0, kWord}, {1, kUnk}, {2, kSep}});
  CHECK(ids == before);
  CHECK(next.mask(one, Random(1)).empty());
  CHECK(next.mask(none, Random(1)).empty());
}

TEST_CASE("a vocabulary of special and unused tokens only has no random replacements") {
  const text::Tokenizer bare({"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "[unused0]"}, {}, "bare");
  CHECK_THROWS_WITH(Masker(bare, {}),
                    "the vocabulary has no tokens for --random-rate: all tokens are special or unused");
  CHECK_NOTHROW(Masker(bare, {.random_rate = 0}));
  CHECK_NOTHROW(Masker(bare, {.target = MaskRule::Target::next}));
  CHECK_NOTHROW(Masker(bare, {.replacements = Replacements::every}));
}
