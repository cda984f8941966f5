#include "examples/tag_example.h"

#include <doctest/doctest.h>

#include <map>
#include <random>

#include "base/error.h"
#include "features/letters.h"
#include "io/record_reader.h"
#include "json/json.h"

using namespace bert;
using namespace bert::features;
using namespace bert::examples;
using For = TagReader::For;
using Names = std::vector<std::string>;

namespace {

const Labels kLabels({"O", "B-PER", "I-PER", "B-LOC", "I-LOC"});

Examples read(const std::string& json, FeatureOptions options, For use = For::learning) {
  static const auto tokenizer = letters();
  options.overflow = Overflow::split;
  options.wanted.words = true;
  const Featurizer featurizer(tokenizer, options);
  const io::Source source{.name = "x", .format = io::InputFormat::jsonl, .columns = {}};
  json::Document document;
  Examples examples;
  TagReader(featurizer, "tags", kLabels, use)
      .read(io::Fields(source, document.parse(json)), io::Record(source, 1, 0, json), 0, examples);
  return examples;
}

std::string error_of(const std::string& json) {
  try {
    read(json, {});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string array_of(const Names& names) {
  std::string out = "[";
  for (const auto& name : names) out += (out.size() > 1 ? ",\"" : "\"") + name + "\"";
  return out + "]";
}

}  // namespace

TEST_CASE("a word's first token has its label; a word without tokens is left out") {
  const auto examples = read(R"({"words":["ab","c","","def"],"tags":["B-PER","I-PER","B-LOC","O"]})", {});
  REQUIRE(examples.size() == 1);
  const auto& example = examples.front()->as<TagExample>();
  CHECK(example.ids == std::vector<int32_t>{2, 5, 32, 7, 8, 35, 36, 3});
  CHECK(example.types == std::vector<int32_t>(8, 0));
  CHECK(example.places == std::vector<int32_t>{1, 3, 4});
  CHECK(example.labels == std::vector<int32_t>{1, 2, 0});
  CHECK(example.words.empty());
  CHECK(!example.tags);
}

TEST_CASE("a dev set keeps word indexes and, with the last window of a record, its original tags") {
  const std::string record = R"({"words":["","ab","cd","ef"],"tags":["I-LOC","I-PER","I-PER","O"]})";
  const auto examples = read(record, {.max_length = 5, .overlap = 0}, For::evaluation);
  REQUIRE(examples.size() == 2);
  const auto &first = examples[0]->as<TagExample>(), &second = examples[1]->as<TagExample>();
  CHECK(first.words == std::vector<int32_t>{1, 2});
  CHECK(first.labels == std::vector<int32_t>{1, 2});
  CHECK(!first.tags);
  CHECK(second.words == std::vector<int32_t>{3});
  CHECK(second.tags == Names{"I-LOC", "I-PER", "I-PER", "O"});
}

TEST_CASE("windows without a labelled word are skipped, except for evaluation") {
  const std::string longest = R"({"words":["abcdefghijkl"],"tags":["O"]})";
  CHECK(read(longest, {.max_length = 6, .overlap = 0}).size() == 1);
  CHECK(read(longest, {.max_length = 6, .overlap = 0}, For::evaluation).size() == 3);
  CHECK(read(R"({"words":[],"tags":[]})", {}).empty());
  const auto none = read(R"({"words":[""],"tags":["B-PER"]})", {}, For::evaluation);
  REQUIRE(none.size() == 1);
  CHECK(none.front()->as<TagExample>().tags == Names{"B-PER"});
  CHECK(none.front()->as<TagExample>().places.empty());
}

TEST_CASE("each word is learned once, in the window with the most context for its first token") {
  std::mt19937 random(7);
  int several_windows = 0;
  for (int round = 0; round < 2000; ++round) {
    Names words, tags;
    std::vector<int64_t> begins;  // of each word, in tokens
    int64_t tokens = 0;
    for (size_t count = random() % 30; words.size() < count;) {
      words.push_back(std::string(random() % 5, static_cast<char>('a' + random() % 26)));
      tags.push_back(kLabels.names()[random() % 5]);
      begins.push_back(tokens);
      tokens += static_cast<int64_t>(words.back().size());
    }
    const auto room = 2 + static_cast<int64_t>(random() % 20),
               overlap = static_cast<int64_t>(random() % static_cast<uint32_t>(room));
    const auto examples = read("{\"words\":" + array_of(words) + ",\"tags\":" + array_of(tags) + "}",
                               {.max_length = room + 2, .overlap = overlap}, For::evaluation);
    several_windows += examples.size() > 1;
    std::map<int32_t, size_t> windows;  // window of each word
    for (size_t w = 0; w < examples.size(); ++w) {
      const auto& example = examples[w]->as<TagExample>();
      REQUIRE(example.words.size() == example.places.size());
      REQUIRE(example.labels.size() == example.places.size());
      for (size_t i = 0; i < example.words.size(); ++i) {
        const auto word = static_cast<size_t>(example.words[i]);
        REQUIRE(windows.emplace(example.words[i], w).second);
        const int64_t token = example.places[i] - 1 + static_cast<int64_t>(w) * (room - overlap);
        REQUIRE(token == begins[word]);
        const bool goes_on = word > 0 && tags[word - 1] != "O" && tags[word - 1][2] == tags[word][2];
        const bool starts = tags[word][0] == 'I' && !goes_on;
        REQUIRE(kLabels.names()[static_cast<size_t>(example.labels[i])] ==
                (starts ? "B" + tags[word].substr(1) : tags[word]));
      }
    }
    for (size_t word = 0; word < words.size(); ++word) {
      const auto found = windows.find(static_cast<int32_t>(word));
      REQUIRE((found != windows.end()) == !words[word].empty());
      if (words[word].empty()) continue;
      double best = -1;
      size_t expected = 0;
      for (size_t w = 0; w < examples.size(); ++w) {
        const int64_t begin = static_cast<int64_t>(w) * (room - overlap),
                      end = std::min(begin + room, tokens);
        if (begins[word] < begin || begins[word] >= end) continue;
        const auto context = static_cast<double>(std::min(begins[word] - begin, end - 1 - begins[word]));
        const double score = context + 0.01 * static_cast<double>(end - begin);
        if (score > best) best = score, expected = w;
      }
      REQUIRE(found->second == expected);
    }
  }
  CHECK(several_windows > 1000);
}

TEST_CASE("in a document, the known tags of the words around a sentence are learned, too") {
  static const auto tokenizer = letters();
  const Featurizer featurizer(tokenizer, {.max_length = 10,
                                          .overflow = Overflow::split,
                                          .overlap = 0,
                                          .document = true,
                                          .wanted = {.words = true}});
  const auto source = std::make_shared<const io::Source>(
      io::Source{.name = "x", .format = io::InputFormat::jsonl, .columns = {}});
  //     [CLS] e f | a b | g | h h | [SEP]: "cd" does not fit, nor does "i"
  const std::vector<std::string> before = {"cd", "e", "f"}, after = {"", "g", "hh", "ii"};
  const auto with_tags = [](const std::vector<std::string>& words, const std::vector<std::string>& tags) {
    std::vector<io::ContextWord> context;
    for (size_t i = 0; i < words.size(); ++i) context.push_back({.word = words[i], .tag = tags[i]});
    return context;
  };
  using Tags = std::vector<std::string>;
  const auto read_in = [&](const Tags& tags_before, const Tags& tags_after, For use) {
    io::RawRecord raw{.source = source, .bytes = R"({"words":["ab"],"tags":["O"]})"};
    raw.bytes.append(json::kPadding, '\0');
    raw.context = {.before = with_tags(before, tags_before), .after = with_tags(after, tags_after)};
    Examples examples;
    io::RawRecordReader(io::InvalidUtf8::error, io::OnError::stop)
        .read(raw, [&](const io::Fields& fields, const io::Record& record) {
          TagReader(featurizer, "tags", kLabels, use).read(fields, record, 0, examples);
        });
    REQUIRE(examples.size() == 1);
    return std::move(examples.front());
  };
  const auto learned = read_in({"B-PER", "I-PER", ""}, {"O", "B-LOC", "I-LOC", "O"}, For::learning);
  const auto& example = learned->as<TagExample>();
  CHECK(example.ids == std::vector<int32_t>{2, 9, 10, 5, 32, 11, 12, 38, 3});
  CHECK(example.places == std::vector<int32_t>{1, 3, 5, 6});
  CHECK(example.labels == std::vector<int32_t>{2, 0, 3, 4});
  const auto unknown = read_in({"B-PER", "B-MISC", "O"}, {"O", "O", "B-MISC", "O"}, For::learning);
  CHECK(unknown->as<TagExample>().places == std::vector<int32_t>{2, 3, 5});
  const auto evaluated = read_in({"O", "O", "O"}, {"O", "O", "O", "O"}, For::evaluation);
  CHECK(evaluated->as<TagExample>().places == std::vector<int32_t>{3});
}

TEST_CASE("O is the first label") {
  CHECK(tags_in_order({"I-PER", "O", "B-PER", "O", "B-LOC"}) == Names{"O", "B-LOC", "B-PER", "I-PER"});
  CHECK(tags_in_order({"VERB", "NOUN", "VERB"}) == Names{"NOUN", "VERB"});
}

TEST_CASE("words can be read from another field") {
  const FeatureOptions options = {.text_field = "tokens"};
  const auto examples = read(R"({"words":["x"],"tokens":["a","b"],"tags":["O","O"]})", options);
  CHECK(examples.front()->ids == std::vector<int32_t>{2, 5, 6, 3});
  CHECK(read(R"({"text":["a"],"tags":["O"]})", {}).front()->ids == std::vector<int32_t>{2, 5, 3});
}

TEST_CASE("with input_ids each token is a word, if ids are requested") {
  const std::string record = R"({"input_ids":[2,5,6,7,3],"tags":["O","I-PER","O"],"words":["a","b","c"]})";
  FeatureOptions options = {.take_ids = TakeIds::where_present, .max_length = 4, .overlap = 0};
  const auto examples = read(record, options, For::evaluation);
  REQUIRE(examples.size() == 2);
  CHECK(examples[0]->ids == std::vector<int32_t>{2, 5, 6, 3});
  CHECK(examples[0]->as<TagExample>().labels == std::vector<int32_t>{0, 1});
  CHECK(examples[1]->as<TagExample>().words == std::vector<int32_t>{2});
  const auto others =
      read(R"({"input_ids":[2,5,6,3],"words":["ab"],"tags":["O"]})", options, For::evaluation);
  CHECK(others.front()->as<TagExample>().labels == std::vector<int32_t>{0});
  CHECK(examples[1]->as<TagExample>().places == std::vector<int32_t>{1});
  const std::string two = R"({"input_ids":[2,5,6,7,3],"tags":["O","I-PER","O"],"words":["a","b"]})";
  CHECK_THROWS_WITH_AS(read(two, options), R"(field "tags" has 3 tags for 2 words)", Error);
  options.take_ids = TakeIds::never;
  CHECK(read(record, options).front()->ids == std::vector<int32_t>{2, 5, 6, 3});
}

TEST_CASE("an invalid record is an error that names the expected value") {
  CHECK(error_of(R"({"tags":["O"]})") == R"(field "words" is missing; the record has "tags")");
  CHECK(error_of(R"({"text":"a b","tags":["O","O"]})") ==
        R"(field "words" is missing; the record has "text", "tags")");
  CHECK(error_of(R"({"words":"a","tags":["O"]})") ==
        R"(field "words" is a string, expected an array of strings)");
  CHECK(error_of(R"({"words":["a",1],"tags":["O","O"]})") ==
        R"(field "words" has a number at index 1, expected strings)");
  CHECK(error_of(R"({"words":["a"]})") == R"(field "tags" is missing; the record has "words")");
  CHECK(error_of(R"({"words":["a"],"tags":"O"})") ==
        R"(field "tags" is a string, expected an array of strings)");
  CHECK(error_of(R"({"words":["a"],"tags":[0]})") ==
        R"(field "tags" has a number at index 0, expected strings)");
  CHECK(error_of(R"({"words":["a"],"tags":["O","O"]})") == R"(field "tags" has 2 tags for 1 word)");
  CHECK(error_of(R"({"words":["a"],"tags":["B-X"]})") ==
        R"(label "B-X" is not one of "O", "B-PER", "I-PER", "B-LOC", "I-LOC")");
}
