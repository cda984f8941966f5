#include <doctest/doctest.h>

#include <random>

#include "../reference/slow_answer.h"
#include "answered.h"
#include "base/error.h"
#include "features/letters.h"
#include "sanitized.h"

using namespace bert;
using namespace bert::predict;

namespace {

constexpr int64_t kMaxQuestion = 5;

std::string quoted(std::string_view text) {
  std::string out;
  json::append_string(out, text);
  return out;
}

// Few letters, so that equal answers are common; a word has as many tokens as letters.
reference::SlowQuestion random_question(std::mt19937& random, std::string& asked, std::string& context) {
  reference::SlowQuestion question;
  const int64_t letters = static_cast<int64_t>(random() % 9);
  for (int64_t i = 0; i < letters; ++i) asked += "a";
  question.query_tokens = std::min(letters, kMaxQuestion);
  const size_t tokens = random() % 12 == 0 ? random() % 2 : random() % (random() % 3 ? 70 : 200);
  while (question.tok_to_orig.size() < tokens) {
    const auto at = static_cast<int64_t>(question.characters.size());
    if (random() % 4 == 0) {
      question.characters.push_back(random() % 3 ? " " : "\u3000");
      continue;
    }
    const char* letters_of[] = {"a", "b", "é"};
    question.characters.push_back(letters_of[random() % 3]);
    question.tok_to_orig.emplace_back(at, at + 1);
  }
  for (const auto& character : question.characters) context += character;
  return question;
}

void compare(const json::Value& found, const reference::SlowSpan& expected) {
  REQUIRE(found.find("text")->string() == expected.text);
  for (const auto& [name, place] : {std::pair("start", expected.start), std::pair("end", expected.end)}) {
    REQUIRE(found.find(name)->is_null() == (place < 0));
    if (place >= 0) REQUIRE(found.find(name)->integer() == place);
  }
  REQUIRE(std::abs(found.find("score")->number() - expected.probability) < 1e-6);
}

}  // namespace

TEST_CASE("answers match run_squad.py, over several windows, with and without a no-answer threshold") {
  const auto tokenizer = features::letters();
  std::mt19937 random(11);
  int several_windows = 0, none = 0, always = 0;
  for (int round = 0; round < tried(10000); ++round) {
    std::string asked, context;
    const auto question = random_question(random, asked, context);
    reference::SlowSquadOptions squad;
    squad.max_seq_length = kMaxQuestion + 4 + static_cast<int64_t>(random() % (random() % 3 ? 40 : 150));
    squad.doc_stride = 1 + static_cast<int64_t>(random() % 30);
    const auto listed_count = 1 + static_cast<int64_t>(random() % 30);
    squad.n_best_size = std::max<int64_t>(listed_count, 20);
    squad.max_answer_length = 1 + static_cast<int64_t>(random() % 12);
    if (random() % 2) squad.null_score_diff_threshold = static_cast<double>(random() % 80) / 10 - 4;

    const auto answerer = make_predictor({.task = task::Task::answer,
                                          .answer = {.stride = squad.doc_stride,
                                                     .max_question_length = kMaxQuestion,
                                                     .max_answer_length = squad.max_answer_length,
                                                     .n_best = listed_count,
                                                     .no_answer_threshold = squad.null_score_diff_threshold}},
                                         {}, tokenizer);
    features::FeatureOptions options = {.max_length = squad.max_seq_length, .overflow = answerer->overflow()};
    answerer->adapt(options);
    const features::Featurizer featurizer(tokenizer, options);

    std::vector<std::vector<float>> starts, ends;
    const bool rough = random() % 2;  // many equal logits
    const auto logit = [&] {
      return rough ? static_cast<float>(random() % 5) : static_cast<float>(random() % 100000) * 6e-5f - 3;
    };
    const auto answer = answered(*answerer, featurizer,
                                 "{\"question\":" + quoted(asked) + ",\"context\":" + quoted(context) + "}",
                                 [&](size_t window, int64_t position) {
                                   starts.resize(std::max(starts.size(), window + 1));
                                   ends.resize(starts.size());
                                   REQUIRE(static_cast<int64_t>(starts[window].size()) == position);
                                   starts[window].push_back(logit());
                                   ends[window].push_back(logit());
                                   return std::vector<float>{starts[window].back(), ends[window].back()};
                                 });
    const auto expected = reference::slow_answer(question, squad, starts, ends);
    CAPTURE(answer);
    json::Document document;
    const json::Value found = document.parse(answer);
    std::string chosen =
        "{\"text\":" + quoted(found.find("prediction")->string()) + answer.substr(answer.find(",\"start\""));
    json::Document chosen_document;
    compare(chosen_document.parse(chosen), expected.answer);
    REQUIRE(std::abs(found.find("null_score")->number() - expected.score_diff) < 1e-6);
    const auto listed = found.find("n_best")->elements();
    REQUIRE(listed.size() == std::min(expected.nbest.size(), static_cast<size_t>(listed_count)));
    for (size_t i = 0; i < listed.size(); ++i) compare(listed[i], expected.nbest[i]);
    several_windows += starts.size() > 1;
    none += squad.null_score_diff_threshold && expected.answer.text.empty();
    always += !squad.null_score_diff_threshold && !expected.answer.text.empty();
  }
  CHECK(several_windows > tried(4000));
  CHECK(none > tried(500));
  CHECK(always > tried(2000));
}

TEST_CASE("an answer is found even if the best start and the best end do not combine") {
  const auto tokenizer = features::letters();
  std::string context(120, 'a');
  for (size_t i = 1; i < context.size(); i += 2) context[i] = ' ';
  const auto answerer =
      make_predictor({.task = task::Task::answer, .answer = {.max_answer_length = 2}}, {}, tokenizer);
  features::FeatureOptions options = {.max_length = 70, .overflow = answerer->overflow()};
  answerer->adapt(options);
  // Starts score best at the end of the text, ends at the beginning; position 32 is token 30, character 60.
  const auto answer =
      answered(*answerer, features::Featurizer(tokenizer, options),
               "{\"question\":\"\",\"context\":" + quoted(context) + "}", [](size_t, int64_t position) {
                 const auto x = static_cast<float>(position);
                 return std::vector<float>{x, -x + (position == 32 ? 0.5f : 0)};
               });
  CHECK_MESSAGE(answer.find("\"prediction\":\"a\",\"start\":60") != std::string::npos, answer);
}

TEST_CASE("a window is [CLS] question [SEP] context [SEP]; windows advance by the stride") {
  const auto tokenizer = features::letters();
  const auto answerer = make_predictor(
      {.task = task::Task::answer, .answer = {.stride = 2, .max_question_length = 2}}, {}, tokenizer);
  features::FeatureOptions options = {.max_length = 8, .overflow = answerer->overflow()};
  answerer->adapt(options);
  const features::Featurizer featurizer(tokenizer, options);
  const io::Source source{.name = "test", .format = io::InputFormat::jsonl, .columns = {}};
  json::Document document;
  const auto reading = answerer->read(
      io::Fields(source, document.parse(R"({"question":"x y z","context":"a b c d e f"})")), featurizer);
  CHECK(reading->truncated);
  REQUIRE(reading->windows.size() == 3);
  CHECK(reading->windows[0].features.ids == std::vector<int32_t>{2, 28, 29, 3, 5, 6, 7, 3});
  CHECK(reading->windows[1].features.ids == std::vector<int32_t>{2, 28, 29, 3, 7, 8, 9, 3});
  CHECK(reading->windows[2].features.ids == std::vector<int32_t>{2, 28, 29, 3, 9, 10, 3});
  CHECK(reading->windows[2].features.types == std::vector<int32_t>{0, 0, 0, 0, 1, 1, 1});
}

TEST_CASE("a maximum length without room for the context is rejected") {
  const auto tokenizer = features::letters();
  const auto adapt = [&](int64_t max_length, std::optional<int64_t> question) {
    features::FeatureOptions options = {.max_length = max_length};
    make_predictor({.task = task::Task::answer, .answer = {.max_question_length = question}}, {}, tokenizer)
        ->adapt(options);
  };
  CHECK_NOTHROW(adapt(9, 5));
  CHECK_THROWS_AS(adapt(8, 5), Error);
  CHECK_NOTHROW(adapt(4, {}));
  CHECK_THROWS_AS(adapt(3, {}), Error);
}

TEST_CASE("a logit that is not finite is an error of its record") {
  const auto tokenizer = features::letters();
  const auto answerer = make_predictor({.task = task::Task::answer}, {}, tokenizer);
  features::FeatureOptions options = {.max_length = 30, .overflow = answerer->overflow()};
  answerer->adapt(options);
  const features::Featurizer featurizer(tokenizer, options);
  CHECK_THROWS_AS(answered(*answerer, featurizer, R"({"question":"a","context":"b"})",
                           [](size_t, int64_t) {
                             return std::vector<float>{0, INFINITY};
                           }),
                  Error);
}
