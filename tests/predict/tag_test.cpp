#include <doctest/doctest.h>

#include <random>

#include "../reference/slow_tags.h"
#include "answered.h"
#include "base/error.h"
#include "features/letters.h"

using namespace bert;
using predict::Aggregate;
using predict::answered;
using predict::make_predictor;

namespace {

const model::Config kModel = {.labels = {"O", "B-PER", "I-PER", "B-LOC", "I-LOC"}};

// A text with known words. Each word has as many tokens as letters; some letters are not ASCII, so code
// points and bytes differ.
struct Words {
  std::vector<std::string> words;
  std::vector<size_t> token_words;
  std::vector<size_t> begins, ends;  // in code points of the text
  std::string text;                  // with white space and empty words, which have no tokens

  explicit Words(std::mt19937& random, bool empty_words) {
    size_t at = 0;
    const size_t count = random() % 14;
    while (words.size() < count) {
      for (size_t spaces = 1 + random() % 3; spaces > 0; --spaces, ++at)
        text += random() % 4 ? " " : "\u3000";
      std::string word;
      begins.push_back(at);
      size_t letters = random() % 8 == 0 ? 30 : 1 + random() % 5;
      if (empty_words && random() % 5 == 0) letters = 0;
      for (size_t i = 0; i < letters; ++i, ++at) {
        word += random() % 5 ? std::string(1, static_cast<char>('a' + random() % 26)) : "é";
        token_words.push_back(words.size());
      }
      ends.push_back(at);
      text += word;
      words.push_back(word);
    }
  }
};

std::vector<features::Window> windows_by_walking(int64_t tokens, int64_t room, int64_t overlap) {
  std::vector<features::Window> windows;
  for (int64_t begin = 0; windows.empty() || windows.back().end < tokens; begin += room - overlap)
    windows.push_back({begin, std::min(begin + room, tokens)});
  return windows;
}

std::string quoted(std::string_view text) {
  std::string out;
  json::append_string(out, text);
  return out;
}

std::string array_of(const std::vector<std::string>& words) {
  std::string out = "[";
  for (const auto& word : words) out += (out.size() > 1 ? "," : "") + quoted(word);
  return out + "]";
}

// Compares tags and entities; scores may differ by less than 1e-6.
void compare(const json::Value& found, const reference::SlowTags& expected, const Words& words, bool given) {
  const auto tags = found.find("prediction")->elements();
  REQUIRE(tags.size() == expected.tags.size());
  for (size_t w = 0; w < tags.size(); ++w) REQUIRE(tags[w].string() == expected.tags[w]);
  const auto entities = found.find("entities")->elements();
  REQUIRE(entities.size() == expected.entities.size());
  for (size_t e = 0; e < entities.size(); ++e) {
    const auto& [type, begin, end, score] = expected.entities[e];
    REQUIRE(entities[e].find("type")->string() == type);
    REQUIRE(std::abs(entities[e].find("score")->number() - score) < 1e-6);
    const auto start = static_cast<size_t>(entities[e].find("start")->integer());
    const auto stop = static_cast<size_t>(entities[e].find("end")->integer());
    REQUIRE(start == (given ? begin : words.begins[begin]));
    REQUIRE(stop == (given ? end : words.ends[end - 1]));
    std::string text = words.words[begin];
    if (given) {
      for (size_t w = begin + 1; w < end; ++w) text += " " + words.words[w];
      REQUIRE(entities[e].find("text")->string() == text);
    } else {
      REQUIRE(entities[e].find("text")->string().starts_with(text));
      REQUIRE(entities[e].find("text")->string().ends_with(words.words[end - 1]));
    }
  }
}

}  // namespace

TEST_CASE("tags and entities match their definitions, for words and text, also at window boundaries") {
  const auto tokenizer = features::letters();
  std::mt19937 random(5);
  int several_windows = 0;
  for (int round = 0; round < 6000; ++round) {
    const bool given = random() % 2;
    const auto aggregate = static_cast<Aggregate>(random() % 3);
    const Words words(random, given);
    const int64_t room = 2 + static_cast<int64_t>(random() % 20);
    const auto overlap = static_cast<int64_t>(random() % static_cast<uint32_t>(room));
    const auto tagger = make_predictor({.task = task::Task::tag, .aggregate = aggregate}, kModel, tokenizer);
    features::FeatureOptions options = {
        .max_length = room + 2, .overflow = tagger->overflow(), .overlap = overlap};
    tagger->adapt(options);
    const features::Featurizer featurizer(tokenizer, options);

    const auto windows = windows_by_walking(static_cast<int64_t>(words.token_words.size()), room, overlap);
    several_windows += windows.size() > 1;
    std::vector<std::vector<std::vector<float>>> rows(windows.size());
    for (size_t w = 0; w < windows.size(); ++w) {
      rows[w].resize(static_cast<size_t>(windows[w].end - windows[w].begin), std::vector<float>(5));
      for (auto& row : rows[w])
        for (float& logit : row) logit = static_cast<float>(random() % 1000000) * 6e-6f - 3;
    }
    const auto logits = [&](size_t w, int64_t position) {
      return rows.at(w).at(static_cast<size_t>(position) - 1);
    };
    const std::string record = given ? "{\"words\":" + array_of(words.words) + ",\"text\":\"not read\"}"
                                     : "{\"text\":" + quoted(words.text) + "}";
    const std::string answer = answered(*tagger, featurizer, record, logits);
    CAPTURE(record);
    CAPTURE(answer);
    json::Document document;
    const json::Value found = document.parse(answer);
    REQUIRE(found.find("words").has_value() == !given);
    if (!given) {
      const auto said = found.find("words")->elements();
      REQUIRE(said.size() == words.words.size());
      for (size_t w = 0; w < said.size(); ++w) REQUIRE(said[w].string() == words.words[w]);
    }
    compare(
        found,
        reference::slow_tags(kModel.labels, words.words.size(), words.token_words, windows, rows, aggregate),
        words, given);
  }
  CHECK(several_windows > 3000);
}

TEST_CASE("tags that are not BIO also form entities") {
  const auto tokenizer = features::letters();
  const auto entities = [&](const std::vector<std::string>& labels, const std::vector<size_t>& said) {
    const model::Config config = {.labels = labels};
    const auto tagger = make_predictor({.task = task::Task::tag}, config, tokenizer);
    features::FeatureOptions options = {.max_length = 100, .overflow = tagger->overflow()};
    tagger->adapt(options);
    std::string words = "{\"words\":[";
    for (size_t w = 0; w < said.size(); ++w) words += (w ? ",\"a\"" : "\"a\"");
    const auto answer = answered(*tagger, features::Featurizer(tokenizer, options), words + "]}",
                                 [&](size_t, int64_t position) {
                                   std::vector<float> logits(labels.size());
                                   logits[said[static_cast<size_t>(position) - 1]] = 9;
                                   return logits;
                                 });
    json::Document document;
    std::string found;
    for (const auto& entity : document.parse(answer).find("entities")->elements())
      found += std::string(entity.find("type")->string()) + std::to_string(entity.find("start")->integer()) +
               "-" + std::to_string(entity.find("end")->integer()) + " ";
    return found;
  };
  CHECK(entities({"O", "S-X", "B-X", "I-X", "E-X"}, {1, 1, 2, 3, 4, 0, 1}) == "X0-1 X1-2 X2-5 X6-7 ");
  CHECK(entities({"O", "U-X", "L-X", "B-X"}, {1, 3, 2, 2}) == "X0-1 X1-3 X3-4 ");
  CHECK(entities({"NOUN", "VERB", "O"}, {0, 0, 1, 2, 1}) == "NOUN0-2 VERB2-3 VERB4-5 ");
  CHECK(entities({"O", "B", "I"}, {1, 2, 1}) == "0-2 2-3 ");
  CHECK(entities({"O", "B-geo-loc", "x-ray"}, {1, 2}) == "geo-loc0-1 x-ray1-2 ");
}

TEST_CASE("a logit that is not finite is an error of its record") {
  const auto tokenizer = features::letters();
  const auto tagger = make_predictor({.task = task::Task::tag}, kModel, tokenizer);
  features::FeatureOptions options = {.max_length = 100, .overflow = tagger->overflow()};
  tagger->adapt(options);
  const features::Featurizer featurizer(tokenizer, options);
  CHECK_THROWS_AS(answered(*tagger, featurizer, R"({"text":"a"})",
                           [](size_t, int64_t) { return std::vector<float>(5, NAN); }),
                  Error);
}
