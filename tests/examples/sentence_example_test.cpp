#include "examples/sentence_example.h"

#include <doctest/doctest.h>

#include "base/error.h"
#include "examples/record_source.h"
#include "examples/records.h"
#include "examples/steps.h"
#include "features/letters.h"

using namespace bert;
using namespace bert::features;
using namespace bert::examples;
using Names = std::vector<std::string>;

namespace {

// The examples of one FILE with this name and text.
std::vector<SentenceExample> read(ReadLabel* read_label, const Labels& labels, const std::string& name,
                                  const std::string& text, int64_t max_length = features::kNoLimit) {
  static const auto tokenizer = letters();
  static Log log("test");
  const io::TemporaryDirectory directory;
  const auto path = directory.write(name, text);
  const Featurizer featurizer(tokenizer, {.max_length = max_length});
  SentenceReader reader(read_label, featurizer, "label", labels);
  const auto source =
      open_records(stream_of({path}), {.order = SourceOptions::Order::given, .epochs = 1}, log);
  Steps steps(*source, reader, {.sequences = 3});
  std::vector<SentenceExample> examples;
  for (Step step; steps.next(step);) {
    for (const auto& example : step.batches.front().examples)
      examples.push_back(example->as<SentenceExample>());
  }
  return examples;
}

std::string error_of(ReadLabel* read_label, const Labels& labels, const std::string& json) {
  try {
    read(read_label, labels, "x.jsonl", json);
  } catch (const Error& error) {
    const std::string message = error.what();
    return message.substr(message.find("x.jsonl"));
  }
  return "";
}

}  // namespace

TEST_CASE("a class label is a string or an integer, in JSONL and TSV") {
  const Labels labels({"0", "1", "good"});
  const auto json = read(read_class, labels, "a.jsonl",
                         R"({"text":"ab","label":"1"})"
                         "\n"
                         R"({"label":0,"text":"a","text_pair":"b"})"
                         "\n"
                         R"({"text":"","label":"good"})");
  REQUIRE(json.size() == 3);
  CHECK(json[0].ids == std::vector<int32_t>{2, 5, 32, 3});
  CHECK(json[0].label == 1);
  CHECK(json[1].ids == std::vector<int32_t>{2, 5, 3, 6, 3});
  CHECK(json[1].types == std::vector<int32_t>{0, 0, 0, 1, 1});
  CHECK(json[1].label == 0);
  CHECK(json[2].ids == std::vector<int32_t>{2, 3});
  CHECK(json[2].label == 2);
  const auto tsv = read(read_class, labels, "a.tsv", "label\ttext\n1\tab\ngood\tc\n");
  REQUIRE(tsv.size() == 2);
  CHECK(tsv[0].label == 1);
  CHECK(tsv[1].label == 2);
  CHECK(tsv[1].ids == std::vector<int32_t>{2, 7, 3});
}

TEST_CASE("numbers and label sets are read from both formats") {
  const Labels none({}), labels({"a", "b", "c"});
  const auto numbers = read(read_value, none, "a.jsonl", R"({"text":"a","label":2.5}
{"text":"a","label":-3})");
  CHECK(numbers[0].value == 2.5f);
  CHECK(numbers[1].value == -3.0f);
  CHECK(read(read_value, none, "a.tsv", "text\tlabel\na\t0.25\n")[0].value == 0.25f);
  const auto sets = read(read_label_set, labels, "a.jsonl", R"({"text":"a","label":["c","a"]}
{"text":"a","label":[]})");
  CHECK(sets[0].targets == std::vector<float>{1, 0, 1});
  CHECK(sets[1].targets == std::vector<float>{0, 0, 0});
  CHECK(read(read_label_set, labels, "a.tsv", "text\tlabel\na\tb,c\na\t\n")[0].targets ==
        std::vector<float>{0, 1, 1});
}

TEST_CASE("long texts are truncated") {
  const auto cut = read(read_class, Labels({"x"}), "a.jsonl", R"({"text":"a b c d e f","label":"x"})", 5);
  CHECK(cut[0].ids == std::vector<int32_t>{2, 5, 6, 7, 3});
}

TEST_CASE("an invalid label is an error that names the expected value") {
  const Labels labels({"no", "yes"});
  CHECK(error_of(read_class, labels, R"({"text":"a","label":"maybe"})") ==
        R"(x.jsonl:1: label "maybe" is not one of "no", "yes")");
  CHECK(error_of(read_class, labels, R"({"text":"a","label":1.5})") ==
        R"(x.jsonl:1: field "label" is a number, expected an integer)");
  CHECK(error_of(read_class, labels, R"({"text":"a","label":[]})") ==
        R"(x.jsonl:1: field "label" is an array, expected a string or an integer)");
  CHECK(error_of(read_class, labels, R"({"text":"a"})") ==
        R"(x.jsonl:1: field "label" is missing; the record has "text")");
  CHECK(error_of(read_value, labels, R"({"text":"a","label":"one"})") ==
        R"(x.jsonl:1: field "label" is "one", expected a number)");
  CHECK(error_of(read_value, labels, R"({"text":"a","label":1e300})") ==
        R"(x.jsonl:1: field "label" is 1e+300, which is too large for f32)");
  CHECK(error_of(read_label_set, labels, R"({"text":"a","label":["no","no"]})") ==
        R"(x.jsonl:1: field "label" has "no" twice)");
  CHECK_THROWS_WITH_AS(Labels({"a", "b", "a"}), R"(label "a" appears twice)", Error);
}

TEST_CASE("integer labels get ids in numeric order, other labels in byte order") {
  CHECK(in_order({"10", "9", "-1", "9"}) == Names{"-1", "9", "10"});
  CHECK(in_order({"10", "9", "b", "a"}) == Names{"10", "9", "a", "b"});
  CHECK(in_order({"2", "01"}) == Names{"01", "2"});
  CHECK(in_order({}) == Names{});
}
