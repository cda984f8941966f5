#include "examples/answer_example.h"

#include <doctest/doctest.h>

#include <random>

#include "features/letters.h"
#include "read_examples.h"

using namespace bert;
using namespace bert::features;
using namespace bert::examples;

namespace {

using For = AnswerReader::For;

struct Reader {
  text::Tokenizer tokenizer = letters();
  AnswerReader reader;

  explicit Reader(const AnswerRule& rule = {}, For use = For::learning) : reader(tokenizer, rule, use) {}

  std::vector<AnswerExample> read(const std::string& json) {
    std::vector<AnswerExample> examples;
    for (const auto& one : read_examples(reader, "a.jsonl", json))
      examples.push_back(one->as<AnswerExample>());
    return examples;
  }
  std::string error(const std::string& json) { return error_of(reader, json); }
};

std::string record(const std::string& context, const std::string& answers) {
  std::string json = R"({"question":"q","context":)";
  json::append_string(json, context);
  return json + R"(,"answers":)" + answers + "}";
}

std::string answers(const std::string& text, int64_t start) {
  std::string json = R"({"text":[)";
  json::append_string(json, text);
  return json + R"(],"answer_start":[)" + std::to_string(start) + "]}";
}

// The answer's letters, read from the token positions of this record's only window.
std::string learned(const std::string& context, const std::string& text, int64_t start) {
  const auto examples = Reader().read(record(context, answers(text, start)));
  REQUIRE(examples.size() == 1);
  std::string letters;
  for (int32_t i = examples[0].start; i <= examples[0].end; ++i) {
    const int32_t id = examples[0].ids[static_cast<size_t>(i)];
    letters += id == 1 ? '?' : static_cast<char>('a' + (id - 5) % 26);
  }
  return letters;
}

}  // namespace

TEST_CASE("question and context become one sequence with the answer's first and last token") {
  const auto examples = Reader().read(record("ab c d", answers("c d", 3)));
  REQUIRE(examples.size() == 1);
  CHECK(examples[0].ids == std::vector<int32_t>{2, 21, 3, 5, 32, 7, 8, 3});
  CHECK(examples[0].types == std::vector<int32_t>{0, 0, 0, 1, 1, 1, 1, 1});
  CHECK(examples[0].start == 5);
  CHECK(examples[0].end == 6);
  CHECK(examples[0].last);
  CHECK(!examples[0].answered);
}

TEST_CASE("without an answer the gold span is [CLS]; with several answers the first is used") {
  Reader reader;
  const auto none = reader.read(record("a b", R"({"text":[],"answer_start":[]})"));
  CHECK(none[0].start == 0);
  CHECK(none[0].end == 0);
  const auto two = reader.read(record("a b c", R"({"text":["b c","a"],"answer_start":[2,0]})"));
  CHECK(two[0].start == 4);
  CHECK(two[0].end == 5);
}

TEST_CASE("offsets are code points, and a partly covered token belongs to the answer") {
  CHECK(learned("\xc3\xa9 \xf0\x9f\x98\x80 b c", "b", 4) == "b");
  CHECK(learned("abc, def ghi", "bc, d", 1) == "bc?d");  // "," is [UNK]
  const auto whole = Reader({.max_length = 40}).read(record("x AB-cd y", answers("B-c", 3)));
  CHECK(whole[0].start == 5);
  CHECK(whole[0].end == 7);
  const std::string unknown = "\xce\xb1\xce\xb2\xce\xb3";  // one [UNK]
  const auto inside = Reader().read(record("a " + unknown + " b", answers("\xce\xb2", 3)));
  CHECK(inside[0].start == 4);
  CHECK(inside[0].end == 4);
}

TEST_CASE("white space inside an answer matches any white space, and around it none") {
  CHECK(learned("a b\n c d", "b c", 2) == "bc");
  CHECK(learned("a b c d", "b \t\nc", 2) == "bc");
  CHECK(learned("a b c d", "  b c ", 1) == "bc");
  CHECK(learned("a  b\xc2\xa0"
                "c d",
                "b c", 1) == "bc");
  CHECK(learned("a b", "b \n", 2) == "b");
}

TEST_CASE("a misplaced answer is an error that quotes the context at that offset") {
  Reader reader;
  CHECK(reader.error(record("a\nb c d", answers("c", 2))) ==
        R"(x.jsonl:1: field "answers" has "c" at 2, where the context has "b")");
  CHECK(reader.error(record("a\nb c d", answers("b d", 1))) ==
        R"(x.jsonl:1: field "answers" has "b d" at 1, where the context has "\nb ")");
  CHECK(reader.error(record("ab", answers("a b", 0))) ==
        R"(x.jsonl:1: field "answers" has "a b" at 0, where the context has "ab")");
  CHECK(reader.error(record("a b", answers("ab", 0))) ==
        R"(x.jsonl:1: field "answers" has "ab" at 0, where the context has "a ")");
  CHECK(reader.error(record("a b", answers("b c", 2))) ==
        R"(x.jsonl:1: field "answers" has "b c" at 2, where the context has "b")");
  CHECK(reader.error(record("\xc3\xa9", answers("a", 2))) ==
        R"(x.jsonl:1: field "answers" has "a" at 2, in a context of 1 characters)");
  CHECK(reader.error(record("a", answers("a", -1))) ==
        R"(x.jsonl:1: field "answers" has "a" at -1, in a context of 1 characters)");
  CHECK(reader.error(record("a b", answers(" ", 1))) ==
        R"(x.jsonl:1: field "answers" has an empty text, expected [] if there is no answer)");
  CHECK(reader.error(record("a \xe2\x80\x8b b", answers("\xe2\x80\x8b", 2))) ==
        R"(x.jsonl:1: field "answers" has a text without tokens)");
}

TEST_CASE("a field of the wrong type is an error that names the expected type") {
  Reader reader;
  CHECK(reader.error(R"({"question":"a","context":"b"})") ==
        R"(x.jsonl:1: field "answers" is missing; the record has "question", "context")");
  CHECK(reader.error(R"({"question":"a","answers":{}})") ==
        R"(x.jsonl:1: field "context" is missing; the record has "question", "answers")");
  CHECK(reader.error(record("a", R"(["a"])")) ==
        R"(x.jsonl:1: field "answers" is an array, expected {"text": […], "answer_start": […]})");
  CHECK(reader.error(record("a", R"({"text":["a"]})")) ==
        R"(x.jsonl:1: field "answers" has no "answer_start")");
  CHECK(reader.error(record("a", R"({"text":"a","answer_start":[0]})")) ==
        R"(x.jsonl:1: field "answers" has a "text" that is a string, expected an array of strings)");
  CHECK(reader.error(record("a", R"({"text":["a"],"answer_start":[0,1]})")) ==
        R"(x.jsonl:1: field "answers" has 1 value of text and 2 of answer_start)");
  CHECK_THROWS_WITH_AS(
      require_room(letters(), {.max_length = 20, .max_question_length = 17}),
      "a maximum length of 20 leaves no room for a question of 17 tokens and 3 special tokens", Error);
}

TEST_CASE("a window with the whole answer uses its span, any other window uses [CLS]") {
  std::mt19937 random(5);
  int whole = 0, cut = 0;
  for (int round = 0; round < 300; ++round) {
    const auto length = static_cast<int64_t>(1 + random() % 60);
    std::string context;
    for (int64_t i = 0; i < length; ++i)
      context += std::string(i > 0 ? " " : "") + static_cast<char>('a' + i % 26);
    const auto first = static_cast<int64_t>(random()) % length;
    const auto last = first + static_cast<int64_t>(random()) % std::min<int64_t>(length - first, 9);
    const auto text =
        context.substr(static_cast<size_t>(2 * first), static_cast<size_t>(2 * (last - first) + 1));
    const AnswerRule rule = {.max_length = static_cast<int64_t>(5 + random() % 30),
                             .stride = static_cast<int64_t>(1 + random() % 12),
                             .max_question_length = 1};
    const auto windows = Reader(rule, For::evaluation).read(record(context, answers(text, 2 * first)));
    int64_t next = 0;
    for (size_t w = 0; w < windows.size(); ++w) {
      const auto& window = windows[w];
      CHECK(window.text.begin == next);
      next += std::min(rule.stride, rule.max_length - 4);
      CHECK(window.tokens() <= rule.max_length);
      CHECK(window.last == (w + 1 == windows.size()));
      CHECK(window.answered == windows[0].answered);
      const bool has = window.text.begin <= first && last < window.text.end;
      (has ? whole : cut) += 1;
      CHECK(window.start == (has ? first - window.text.begin + window.text_begin : 0));
      CHECK(window.end == (has ? last - window.text.begin + window.text_begin : 0));
    }
    CHECK(windows.back().text.end == length);
    const auto& answered = *windows[0].answered;
    CHECK(answered.context == context);
    CHECK(answered.offsets.size() == static_cast<size_t>(length));
    CHECK(answered.answers == std::vector<std::string>{text});
  }
  CHECK(whole > 200);
  CHECK(cut > 200);
}

TEST_CASE("original SQuAD files are read, with and without answers") {
  Reader reader({}, For::evaluation);
  const auto examples = read_examples(reader.reader, "a.json", R"({"version":"v2.0","data":[{"title":"t",
    "paragraphs":[{"context":"ab c","qas":[
      {"id":"1","question":"x","answers":[{"text":"c","answer_start":3},{"text":"ab","answer_start":0}],
       "is_impossible":false},
      {"id":"2","question":"y","answers":[],"plausible_answers":[{"text":"c","answer_start":3}],
       "is_impossible":true}]}]}]})",
                                      io::InputFormat::squad);
  REQUIRE(examples.size() == 2);
  const auto& first = examples[0]->as<AnswerExample>();
  CHECK(first.start == 5);
  CHECK(first.answered->answers == std::vector<std::string>{"c", "ab"});
  CHECK(examples[1]->as<AnswerExample>().end == 0);
  CHECK(examples[1]->as<AnswerExample>().answered->answers.empty());
}
