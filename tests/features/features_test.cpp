#include "features/features.h"

#include <doctest/doctest.h>

#include <random>

#include "../reference/slow_features.h"
#include "base/error.h"
#include "features/letters.h"

using namespace bert;
using namespace bert::features;
using Ids = std::vector<int32_t>;
using Strategy = text::Truncation::Strategy;

namespace {

// A JSON record as the stream provides it.
class JsonFields {
 public:
  explicit JsonFields(std::string_view json) : fields_(source_, document_.parse(json)) {}
  operator const io::Fields&() const { return fields_; }

 private:
  io::Source source_{.name = "test", .format = io::InputFormat::jsonl};
  json::Document document_;
  io::Fields fields_;
};

std::string random_words(std::mt19937& chance) {
  std::string text;
  for (uint32_t words = chance() % 12; words > 0; --words) {
    text.append(1 + chance() % 3, static_cast<char>('a' + chance() % 26));
    text += chance() % 3 == 0 ? "  " : " ";
  }
  return text;
}

reference::Tokens slow_tokens(const text::Tokenizer& tokenizer, std::string_view text) {
  text::Tokens tokens;
  tokenizer.encode(text, {.offsets = text::Offsets::chars, .words = true}, tokens);
  reference::Tokens slow;
  for (size_t i = 0; i < tokens.ids.size(); ++i)
    slow.push_back({.id = tokens.ids[i], .word = tokens.words[i], .offset = tokens.offsets[i]});
  return slow;
}

reference::Tokens as_slow(const Features& features) {
  reference::Tokens slow;
  REQUIRE(features.types.size() == features.ids.size());
  REQUIRE(features.offsets.size() == features.ids.size());
  REQUIRE(features.words.size() == features.ids.size());
  for (size_t i = 0; i < features.ids.size(); ++i)
    slow.push_back({features.ids[i], features.types[i], features.words[i], features.offsets[i]});
  return slow;
}

struct Case {
  FeatureOptions options;
  reference::Tokens a, b;
  std::optional<std::string> second;
  int64_t room = 0;  // for the tokens of a and b
};

Case random_case(std::mt19937& chance, const text::Tokenizer& tokenizer, const std::string& text) {
  Case made;
  made.a = slow_tokens(tokenizer, text);
  if (chance() % 2 == 0) made.second = random_words(chance);
  if (made.second) made.b = slow_tokens(tokenizer, *made.second);
  auto& options = made.options;
  options.specials = chance() % 3 != 0;
  options.wanted = {.offsets = text::Offsets::chars, .words = true};
  options.cut.compat = chance() % 2 == 0 ? text::Compat::hf : text::Compat::google;
  options.cut.from_left = chance() % 3 == 0;
  options.max_length = 4 + chance() % 30;
  made.room = options.max_length - (options.specials ? (made.second ? 3 : 2) : 0);
  return made;
}

// The part spans must cover the tokens of each part.
void check_parts(const Features& features, const Case& expected, const reference::Tokens& a,
                 const reference::Tokens& b) {
  CHECK(features.first.end - features.first.begin == a.size());
  CHECK(features.second.end - features.second.begin == b.size());
  CHECK(features.pair == expected.second.has_value());
  if (!a.empty()) CHECK(features.ids[features.first.begin] == a.front().id);
  if (!b.empty()) CHECK(features.ids[features.second.begin] == b.front().id);
}

}  // namespace

TEST_CASE("truncated features match a reference that removes tokens one by one") {
  const auto tokenizer = letters();
  std::mt19937 chance(2);
  int cut = 0;
  for (int round = 0; round < 5000; ++round) {
    const auto text = random_words(chance);
    Case made = random_case(chance, tokenizer, text);
    const bool fits = static_cast<int64_t>(made.a.size() + made.b.size()) <= made.room;
    const auto features = Featurizer(tokenizer, made.options).features(text, made.second);
    reference::cut_pair(made.a, made.b, made.room, made.options.cut, made.options.max_length);
    const auto expected = reference::join(made.a, made.second ? &made.b : nullptr,
                                          made.options.specials ? &tokenizer : nullptr);
    REQUIRE(as_slow(features) == expected);
    check_parts(features, made, made.a, made.b);
    CHECK(features.truncated == !fits);
    cut += !fits;
  }
  CHECK(cut > 1000);
}

TEST_CASE("windows keep A whole and slide over B, or over a single text") {
  const auto tokenizer = letters();
  std::mt19937 chance(3);
  int slid = 0;
  for (int round = 0; round < 5000; ++round) {
    const auto text = random_words(chance);
    Case made = random_case(chance, tokenizer, text);
    made.options.overflow = Overflow::split;
    made.options.overlap = chance() % 2;
    const bool fits = static_cast<int64_t>(made.a.size() + made.b.size()) <= made.room;
    const int64_t length = made.second ? made.room - static_cast<int64_t>(made.a.size()) : made.room;
    if (!fits && length <= made.options.overlap) continue;
    const auto windows = Featurizer(tokenizer, made.options).windows(text, made.second);
    const auto& sliding = made.second ? made.b : made.a;
    const auto parts =
        fits ? std::vector<reference::Tokens>{sliding}
             : reference::slide(sliding, {length, made.options.overlap, made.options.cut.from_left});
    REQUIRE(windows.size() == parts.size());
    for (size_t i = 0; i < parts.size(); ++i) {
      const auto& a = made.second ? made.a : parts[i];
      const auto* specials = made.options.specials ? &tokenizer : nullptr;
      REQUIRE(as_slow(windows[i]) == reference::join(a, made.second ? &parts[i] : nullptr, specials));
      check_parts(windows[i], made, a, made.second ? parts[i] : reference::Tokens{});
      CHECK(windows[i].window == static_cast<int32_t>(i));
      CHECK(!windows[i].truncated);
    }
    slid += parts.size() > 1;
  }
  CHECK(slid > 1000);
}

TEST_CASE("a length limit truncates input_ids exactly as it truncates their text") {
  const auto tokenizer = letters();
  std::mt19937 chance(4);
  for (int round = 0; round < 2000; ++round) {
    const auto text = random_words(chance);
    Case made = random_case(chance, tokenizer, text);
    made.options.wanted = {};
    made.options.take_ids = TakeIds::where_present;
    made.options.overflow = chance() % 2 == 0 ? Overflow::truncate : Overflow::split;
    made.options.overlap = 1;
    made.options.specials = true;
    const int64_t beside = (made.second ? 3 : 2) + static_cast<int64_t>(made.a.size());
    if (made.second && made.options.max_length < beside + 2) continue;
    const auto whole = Featurizer(tokenizer, {}).features(text, made.second);
    std::string json = "{\"input_ids\":";
    json::append_integers(json, whole.ids);
    json += ",\"token_type_ids\":";
    json::append_integers(json, whole.types);
    const Featurizer featurizer(tokenizer, made.options);
    const auto of_ids = featurizer.windows(JsonFields(json + "}"));
    const auto of_text = featurizer.windows(text, made.second);
    REQUIRE(of_ids.size() == of_text.size());
    for (size_t i = 0; i < of_ids.size(); ++i) {
      REQUIRE(of_ids[i].ids == of_text[i].ids);
      CHECK(of_ids[i].types == of_text[i].types);
      CHECK(of_ids[i].truncated == of_text[i].truncated);
    }
  }
}

TEST_CASE("record fields become features") {
  const auto tokenizer = letters();
  const Featurizer featurizer(tokenizer, {.wanted = {.offsets = text::Offsets::chars, .words = true}});
  const auto pair = featurizer.features(JsonFields(R"({"text":"a b","text_pair":"c"})"));
  CHECK(pair.ids == Ids{2, 5, 6, 3, 7, 3});
  CHECK(pair.types == Ids{0, 0, 0, 0, 1, 1});
  CHECK(pair.words == Ids{kNoWord, 0, 1, kNoWord, 0, kNoWord});
  CHECK(pair.offsets == std::vector<text::Span>{{0, 0}, {0, 1}, {2, 3}, {0, 0}, {0, 1}, {0, 0}});
  CHECK(pair.first == text::Span{1, 3});
  CHECK(pair.second == text::Span{4, 5});

  const auto words = featurizer.features(JsonFields(R"({"words":["ab","","c-d"]})"));
  CHECK(words.ids == Ids{2, 5, 32, 7, 1, 8, 3});
  CHECK(words.words == Ids{kNoWord, 0, 0, 2, 2, 2, kNoWord});
  CHECK(words.offsets == std::vector<text::Span>{{0, 0}, {0, 1}, {1, 2}, {0, 1}, {1, 2}, {2, 3}, {0, 0}});

  const auto named = Featurizer(tokenizer, {.text_field = "t"}).features(JsonFields(R"({"t":["a","b"]})"));
  CHECK(named.ids == Ids{2, 5, 6, 3});
  CHECK(featurizer.features(JsonFields(R"({"text":"","words":["a"]})")).ids == Ids{2, 3});
}

TEST_CASE("a missing or invalid field is reported by name") {
  const auto tokenizer = letters();
  const Featurizer text(tokenizer, {});
  CHECK_THROWS_WITH(text.features(JsonFields("{}")), "field \"text\" is missing; the record has no fields");
  CHECK_THROWS_WITH(text.features(JsonFields(R"({"text":3})")),
                    "field \"text\" is a number, expected a string");
  CHECK_THROWS_WITH(text.features(JsonFields(R"({"text":"a","text_pair":true})")),
                    "field \"text_pair\" is a boolean, expected a string");
  CHECK(text.features(JsonFields(R"({"text":"a","text_pair":null})")).ids == Ids{2, 5, 3});
  CHECK_THROWS_WITH(text.features(JsonFields(R"({"text":null,"text_pair":"a"})")),
                    "field \"text\" is null, expected a string");
  CHECK_THROWS_WITH(text.features(JsonFields(R"({"words":"a"})")),
                    "field \"words\" is a string, expected an array of strings");
  CHECK_THROWS_WITH(text.features(JsonFields(R"({"words":["a",1]})")),
                    "field \"words\" has a number at index 1, expected strings");

  const Featurizer ids(tokenizer, {.take_ids = TakeIds::where_present});
  CHECK(ids.features(JsonFields(R"({"text":"a"})")).ids == Ids{2, 5, 3});
  CHECK(ids.features(JsonFields(R"({"text":3,"input_ids":[2,56,3]})")).types == Ids{0, 0, 0});
  CHECK(text.features(JsonFields(R"({"text":"a","input_ids":[9]})")).ids == Ids{2, 5, 3});
  CHECK_THROWS_WITH(ids.features(JsonFields(R"({"input_ids":[2,57]})")),
                    "field \"input_ids\": 57 at position 1 is not in the vocabulary of 57 tokens");
  CHECK_THROWS_WITH(ids.features(JsonFields(R"({"input_ids":[-1]})")),
                    "field \"input_ids\": -1 at position 0 is not in the vocabulary of 57 tokens");
  CHECK_THROWS_WITH(ids.features(JsonFields(R"({"input_ids":[2,3],"token_type_ids":[0]})")),
                    "field \"token_type_ids\" has 1 value, input_ids has 2");
  CHECK_THROWS_WITH(ids.features(JsonFields(R"({"input_ids":"2"})")),
                    "field \"input_ids\" is a string, expected an array of integers");
}

TEST_CASE("maximum lengths that leave no room for text are rejected") {
  const auto tokenizer = letters();
  CHECK_THROWS_WITH(Featurizer(tokenizer, {.max_length = 2}),
                    "a maximum length of 2 leaves no room for text besides [CLS] and [SEP]");
  CHECK_NOTHROW(Featurizer(tokenizer, {.max_length = 2, .specials = false}));
  CHECK_THROWS_WITH(Featurizer(tokenizer, {.max_length = 66, .overflow = Overflow::split}),
                    "a maximum length of 66 leaves 64 tokens besides [CLS] and [SEP], but windows overlap by "
                    "64, the default; use "
                    "--overlap 32");
  CHECK_NOTHROW(Featurizer(tokenizer, {.max_length = 67, .overflow = Overflow::split}));
  CHECK_THROWS_WITH(Featurizer(tokenizer, {.max_length = 3}).features("a", "b"),
                    "a maximum length of 3 leaves no room for 3 special tokens");
  CHECK_THROWS_WITH(Featurizer(tokenizer, {.max_length = 4, .overflow = Overflow::error}).features("a b c"),
                    "text of 5 tokens is longer than the 4 allowed");
  const FeatureOptions split{.max_length = 8, .overflow = Overflow::split, .overlap = 2};
  CHECK_THROWS_WITH(
      Featurizer(tokenizer, split).windows("a b c d", "e f g h"),
      "windows over the second text have room for 1 token besides the other text, but overlap by 2");
}

TEST_CASE("the truncation block of tokenizer.json applies when no length is given") {
  text::TokenizerConfig config;
  config.truncation = {.max_length = 4, .strategy = Strategy::only_first};
  config.truncate_left = true;
  config.compat = text::Compat::google;
  const auto tokenizer = letters(config);
  const Featurizer obeying(tokenizer, with_settings_of(tokenizer, {}));
  CHECK(obeying.features("a b c d").ids == Ids{2, 7, 8, 3});
  CHECK(obeying.features("a b c d").truncated);
  CHECK_THROWS_WITH(
      obeying.features("a", "b c"),
      "text of 6 tokens cannot be truncated to 4 in its first part alone, as tokenizer.json requests");
  const Featurizer told(tokenizer, with_settings_of(tokenizer, {.max_length = 5}));
  CHECK(told.features("a b c d").ids == Ids{2, 6, 7, 8, 3});  // the side is independent of the length
  CHECK(told.options().cut.compat == text::Compat::google);
}

TEST_CASE("without token types, both texts of a pair have type 0") {
  text::TokenizerConfig config;
  config.token_types = false;
  const auto tokenizer = letters(config);
  CHECK(Featurizer(tokenizer, {}).features("a", "b").types == std::vector<int32_t>(5));
}

TEST_CASE("a prompt is prepended to the text and its tokens count") {
  const auto tokenizer = letters();
  const Featurizer featurizer(tokenizer,
                              {.max_length = 7, .overflow = Overflow::split, .overlap = 1, .prompt = "p q "});
  const auto windows = featurizer.windows("a b c d e");
  REQUIRE(windows.size() == 2);
  CHECK(windows[0].ids == Ids{2, 20, 21, 5, 6, 7, 3});
  CHECK(windows[0].prompt == 3);
  CHECK(windows[1].ids == Ids{2, 7, 8, 9, 3});
  CHECK(windows[1].prompt == 0);
  CHECK(featurizer.windows(JsonFields(R"({"words":["a"]})"))[0].ids == Ids{2, 20, 21, 5, 3});
}
