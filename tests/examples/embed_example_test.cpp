#include "examples/embed_example.h"

#include <doctest/doctest.h>

#include "features/letters.h"
#include "read_examples.h"

using namespace bert;
using namespace bert::features;
using namespace bert::examples;

namespace {

struct Reader {
  text::Tokenizer tokenizer = letters();
  Featurizer featurizer;
  EmbedReader reader;

  explicit Reader(EmbedRecords records, int64_t max_length = features::kNoLimit,
                  TakeIds take_ids = TakeIds::never, TeacherVectors teacher = {})
      : featurizer(tokenizer, {.take_ids = take_ids, .max_length = max_length}),
        reader(records, featurizer, "label", nullptr, teacher) {}
  Examples read(const std::string& records) { return read_examples(reader, "a.jsonl", records); }
  // The message without FILE:LINE.
  std::string refusal(const std::string& records) {
    try {
      read(records);
    } catch (const Error& error) {
      const std::string message = error.what();
      return message.substr(message.find(": ") + 2);
    }
    return "none";
  }
};

using Ids = std::vector<int32_t>;

std::string refusal(EmbedRecords records, const std::string& record) {
  return Reader(records).refusal(record);
}

}  // namespace

TEST_CASE("the text, its pair and each negative are sequences of their own, all of type 0") {
  Reader reader(EmbedRecords::pairs);
  const auto examples = reader.read(R"({"text":"a","text_pair":"b c","negatives":["d","e"],"label":"x"}
{"text":"","text_pair":"a"}
{"text":"a","text_pair":"b","negatives":null})");
  REQUIRE(examples.size() == 3);
  const auto& first = examples[0]->as<EmbedExample>();
  CHECK(first.ids == Ids{2, 5, 3, 2, 6, 7, 3, 2, 8, 3, 2, 9, 3});
  CHECK(first.types == Ids(13, 0));
  CHECK(first.lengths == std::vector<size_t>{3, 4, 3, 3});
  CHECK(!first.scored);
  REQUIRE(first.sequences().size() == 4);
  CHECK(first.sequences()[1].ids.size() == 4);
  CHECK(examples[1]->as<EmbedExample>().lengths == std::vector<size_t>{2, 3});
  CHECK(examples[2]->as<EmbedExample>().lengths == std::vector<size_t>{3, 3});
}

TEST_CASE("scored pairs have a similarity; a text alone is its own pair") {
  Reader scored(EmbedRecords::scored);
  const auto pairs = scored.read(R"({"text":"a","text_pair":"b","label":0.5,"negatives":["c"]}
{"text":"a","text_pair":"b","label":"-2"})");
  CHECK(pairs[0]->as<EmbedExample>().label == 0.5);
  CHECK(pairs[0]->as<EmbedExample>().lengths.size() == 2);
  CHECK(pairs[1]->as<EmbedExample>().label == -2);
  Reader texts(EmbedRecords::texts);
  const auto alone = texts.read(R"({"text":"a b"})");
  CHECK(alone[0]->as<EmbedExample>().ids == Ids{2, 5, 6, 3, 2, 5, 6, 3});
}

TEST_CASE("records of a dev set are scored if they have a label, which all must have or none") {
  Reader scored(EmbedRecords::dev), pairs(EmbedRecords::dev);
  CHECK(scored.read(R"({"text":"a","text_pair":"b","label":1})")[0]->as<EmbedExample>().scored);
  const auto pair = pairs.read(R"({"text":"a","text_pair":"b","label":null,"negatives":["c"]})");
  CHECK(!pair[0]->as<EmbedExample>().scored);
  CHECK(pair[0]->as<EmbedExample>().lengths.size() == 3);
  CHECK(refusal(EmbedRecords::dev, R"({"text":"a","text_pair":"b","label":1}
{"text":"a","text_pair":"b"})") == "has no field \"label\", unlike the first record");
  CHECK(refusal(EmbedRecords::dev, R"({"text":"a","text_pair":"b"}
{"text":"a","text_pair":"b","label":1})") == "has a field \"label\", unlike the first record");
}

TEST_CASE("ids of each text can be given instead") {
  Reader reader(EmbedRecords::pairs, 4, TakeIds::where_present);
  const auto examples = reader.read(R"({"input_ids":[[2,5,3],[2,6,7,8,3],[2,9,3]],"text":"x"})");
  const auto& example = examples[0]->as<EmbedExample>();
  CHECK(example.ids == Ids{2, 5, 3, 2, 6, 7, 3, 2, 9, 3});
  CHECK(example.traits.has(examples::Trait::truncated));
  CHECK(reader.refusal(R"({"input_ids":[[2,5,3]]})") ==
        "field \"input_ids\" has 1 arrays, expected one for each text");
  CHECK(reader.refusal(R"({"input_ids":[2,5,3]})") ==
        "field \"input_ids\" is a number, expected an array of integers");
  Reader alone(EmbedRecords::texts, 9, TakeIds::where_present);
  CHECK(alone.read(R"({"input_ids":[[2,5,3]]})")[0]->as<EmbedExample>().ids == Ids{2, 5, 3, 2, 5, 3});
}

TEST_CASE("each text is truncated on its own") {
  Reader reader(EmbedRecords::pairs, 4);
  const auto examples = reader.read(R"({"text":"a b c","text_pair":"d e"})");
  CHECK(examples[0]->as<EmbedExample>().ids == Ids{2, 5, 6, 3, 2, 8, 9, 3});
  CHECK(examples[0]->traits.has(examples::Trait::truncated));
}

TEST_CASE("records that lack what the loss needs are refused") {
  using enum EmbedRecords;
  CHECK(refusal(pairs, R"({"text":"a"})") == "field \"text_pair\" is missing; the record has \"text\"");
  CHECK(refusal(pairs, R"({"text":"a","text_pair":"b","negatives":7})") ==
        "field \"negatives\" is a number, expected an array of strings");
  CHECK(refusal(pairs, R"({"text_pair":"b"})") == "field \"text\" is missing; the record has \"text_pair\"");
  CHECK(refusal(dev, R"({"text":"a"})") == "field \"text_pair\" is missing; the record has \"text\"");
  CHECK(refusal(scored, R"({"text":"a","text_pair":"b"})") ==
        "field \"label\" is missing; the record has \"text\", \"text_pair\"");
  CHECK(refusal(scored, R"({"text":"a","text_pair":"b","label":"x"})") ==
        "field \"label\" is \"x\", expected a number");
  CHECK(refusal(triplets, R"({"text":"a","text_pair":"b"})") ==
        "field \"negatives\" is missing; the record has \"text\", \"text_pair\"");
  CHECK(refusal(triplets, R"({"text":"a","text_pair":"b","negatives":[]})") ==
        "has no negatives, the loss triplet needs at least one");
}

TEST_CASE("records with a teacher's vector have it for their text and its pair") {
  Reader reader(EmbedRecords::taught, features::kNoLimit, TakeIds::never, {.width = 3});
  const auto examples = reader.read(R"({"text":"a","embedding":[1,-2,0.5]}
{"text":"a","text_pair":"b c","negatives":["d"],"embedding":[0,0,1],"label":1})");
  REQUIRE(examples.size() == 2);
  const auto& first = examples[0]->as<EmbedExample>();
  CHECK(first.target == std::vector<float>{1, -2, 0.5f});
  CHECK(first.lengths == std::vector<size_t>{3});
  const auto& second = examples[1]->as<EmbedExample>();
  CHECK(second.lengths == std::vector<size_t>{3, 4});
  CHECK(!second.scored);
  CHECK(reader.refusal(R"({"text":"a","embedding":[1,2]})") ==
        "field \"embedding\" has 2 numbers, expected 3");
  CHECK(reader.refusal(R"({"text":"a","embedding":[1,2,1e99]})") ==
        "field \"embedding\" has the number inf at index 2, expected a finite number in f32");
  CHECK(reader.refusal(R"({"text":"a","text_pair":"b"})").starts_with("field \"embedding\" is missing"));
}

TEST_CASE("a dev set of a taught model is scored, taught or pairs, as its first record") {
  const auto kind_of = [](const std::string& records) {
    Reader reader(EmbedRecords::taught_dev, features::kNoLimit, TakeIds::never, {.width = 1});
    const auto examples = reader.read(records);
    const auto& last = examples.back()->as<EmbedExample>();
    return last.scored ? "scored" : last.target.empty() ? "pairs" : "taught";
  };
  CHECK(kind_of(R"({"text":"a","text_pair":"b","label":1,"embedding":[1]})") == std::string("scored"));
  CHECK(kind_of(R"({"text":"a","label":1,"embedding":[1]})") == std::string("taught"));
  CHECK(kind_of(R"({"text":"a","text_pair":"b","embedding":[1]})") == std::string("taught"));
  CHECK(kind_of(R"({"text":"a","text_pair":"b"})") == std::string("pairs"));
  Reader reader(EmbedRecords::taught_dev, features::kNoLimit, TakeIds::never, {.width = 1});
  CHECK(reader.refusal("{\"text\":\"a\",\"embedding\":[1]}\n{\"text\":\"a\",\"text_pair\":\"b\"}") ==
        "has no field \"embedding\", unlike the first record");
}

TEST_CASE("records with a teacher's scores have one for the pair and for each negative") {
  Reader reader(EmbedRecords::rated);
  const auto examples =
      reader.read(R"({"text":"a","text_pair":"b","negatives":["c","d"],"scores":[3,-1,0.5]})");
  CHECK(examples.front()->as<EmbedExample>().scores == std::vector<float>{3, -1, 0.5f});
  CHECK(reader.refusal(R"({"text":"a","text_pair":"b","negatives":["c"],"scores":[1]})") ==
        "field \"scores\" has 1 number, expected one for the pair and for each of 1 negative");
  Reader dev(EmbedRecords::rated_dev);
  CHECK(dev.read(R"({"text":"a","text_pair":"b","negatives":["c"]})")
            .front()
            ->as<EmbedExample>()
            .scores.empty());
}
