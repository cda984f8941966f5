#include "examples/rank_example.h"

#include <doctest/doctest.h>

#include "features/letters.h"
#include "read_examples.h"

using namespace bert;
using namespace bert::features;
using namespace bert::examples;

namespace {

using Ids = std::vector<int32_t>;
using Numbers = std::vector<float>;

struct Reader {
  text::Tokenizer tokenizer = letters();
  Featurizer featurizer;
  RankReader reader;

  explicit Reader(bool is_list, bool taught = false,
                  RankReader::Purpose purpose = RankReader::Purpose::training)
      : featurizer(tokenizer, {.max_length = 7}),
        reader({.loss = "binary",
                .is_list = is_list,
                .taught = taught,
                .least = 0,
                .most = 1,
                .teaches = [](std::span<const float> y) { return y.size() > 1 && y[0] != y[1]; }},
               featurizer, "label", purpose) {}
};

}  // namespace

TEST_CASE("a candidate has the label of its record, which is also its score") {
  Reader reader(false);
  const auto examples = read_examples(reader.reader, "a.jsonl", R"({"text":"a","text_pair":"b","label":0.5}
{"text":"a","text_pair":"b","label":"1"})");
  REQUIRE(examples.size() == 2);
  const auto& first = examples[0]->as<RankExample>();
  CHECK(first.ids == Ids{2, 5, 3, 6, 3});
  CHECK(first.types == Ids{0, 0, 0, 1, 1});
  CHECK(first.labels == Numbers{0.5});
  CHECK(first.scores == Numbers{0.5});
  CHECK(first.text.empty());
  CHECK_FALSE(first.is_list);
  CHECK(examples[1]->as<RankExample>().labels == Numbers{1});
}

TEST_CASE("a list has the pair first, or the documents; each candidate is truncated by itself") {
  Reader reader(true);
  const auto examples =
      read_examples(reader.reader, "a.jsonl", R"({"text":"a","text_pair":"b","negatives":["c","d e f g"]}
{"text":"a","documents":["b","c"],"labels":[1,1]})");
  REQUIRE(examples.size() == 2);
  const auto& mined = examples[0]->as<RankExample>();
  CHECK(mined.ids == Ids{2, 5, 3, 6, 3, 2, 5, 3, 7, 3, 2, 5, 3, 8, 9, 10, 3});
  CHECK(mined.lengths == std::vector<size_t>{5, 5, 7});
  CHECK(mined.labels == Numbers{1, 0, 0});
  CHECK(mined.scores.empty());
  CHECK(mined.traits.has(Trait::truncated));
  CHECK_FALSE(mined.traits.has(Trait::idle));
  const auto& graded = examples[1]->as<RankExample>();
  CHECK(graded.labels == Numbers{1, 1});
  CHECK(graded.is_list);
  CHECK(graded.traits.has(Trait::idle));
}

TEST_CASE("a loss that learns scores needs no labels") {
  Reader reader(true, true);
  const auto examples =
      read_examples(reader.reader, "a.jsonl", R"({"text":"a","documents":["b","c"],"scores":[2,-1]})");
  CHECK(examples[0]->as<RankExample>().labels.empty());
  CHECK(examples[0]->as<RankExample>().scores == Numbers{2, -1});
  CHECK(error_of(reader.reader, R"({"text":"a","documents":["b","c"],"labels":[2,-1]})")
            .find("\"scores\" is missing") != std::string::npos);
}

TEST_CASE("a dev set may have any labels; its examples know their texts") {
  Reader reader(false, false, RankReader::Purpose::dev);
  const auto examples = read_examples(reader.reader, "a.jsonl", R"({"text":"a","text_pair":"b","label":3})");
  CHECK(examples[0]->as<RankExample>().labels == Numbers{3});
  CHECK(examples[0]->as<RankExample>().text == "a");
}
