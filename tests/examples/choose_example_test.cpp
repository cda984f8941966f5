#include "examples/choose_example.h"

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
  ChooseReader reader;

  explicit Reader(int64_t max_length = features::kNoLimit)
      : featurizer(tokenizer, {.max_length = max_length}), reader(featurizer, "label") {}
};

using Ids = std::vector<int32_t>;

}  // namespace

TEST_CASE("text and each choice form a sequence; an example concatenates all of them") {
  Reader reader;
  const auto examples =
      read_examples(reader.reader, "a.jsonl", R"({"text":"a","choices":["b","c d","e"],"label":1}
{"label":"0","text":"a","question":"q","choices":["b"]}
{"text":"","question":"","choices":["",""],"label":1})");
  REQUIRE(examples.size() == 3);
  const auto& three = examples[0]->as<ChooseExample>();
  CHECK(three.ids == Ids{2, 5, 3, 6, 3, 2, 5, 3, 7, 8, 3, 2, 5, 3, 9, 3});
  CHECK(three.types == Ids{0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1});
  CHECK(three.lengths == std::vector<size_t>{5, 6, 5});
  CHECK(three.label == 1);
  REQUIRE(three.sequences().size() == 3);
  const auto [ids, types] = three.sequences()[1];
  CHECK(Ids(ids.begin(), ids.end()) == Ids{2, 5, 3, 7, 8, 3});
  CHECK(Ids(types.begin(), types.end()) == Ids{0, 0, 0, 1, 1, 1});
  CHECK(three.tokens() == 16);
  const auto& one = examples[1]->as<ChooseExample>();
  CHECK(one.ids == Ids{2, 5, 3, 21, 6, 3});
  CHECK(one.label == 0);
  CHECK(examples[2]->as<ChooseExample>().ids == Ids{2, 3, 3, 2, 3, 3});
}

TEST_CASE("long texts are truncated for each choice separately") {
  Reader reader(7);
  const auto examples =
      read_examples(reader.reader, "a.jsonl", R"({"text":"a b c d","choices":["e","e f g"],"label":0})");
  CHECK(examples[0]->as<ChooseExample>().ids == Ids{2, 5, 6, 7, 3, 9, 3, 2, 5, 6, 3, 9, 10, 3});
}

TEST_CASE("an invalid choice record is an error that names the expected value") {
  Reader reader;
  const auto error = [&](const std::string& rest) {
    return error_of(reader.reader, R"({"text":"a",)" + rest + "}");
  };
  CHECK(error(R"("choices":["b","c"],"label":2)") ==
        R"(x.jsonl:1: field "label" is 2, expected the index of one of 2 choices)");
  CHECK(error(R"("choices":["b","c"],"label":-1)") ==
        R"(x.jsonl:1: field "label" is -1, expected the index of one of 2 choices)");
  CHECK(error(R"("choices":["b","c"],"label":"b")") ==
        R"(x.jsonl:1: field "label" is "b", expected the index of one of 2 choices)");
  CHECK(error(R"("choices":["b","c"],"label":"")") ==
        R"(x.jsonl:1: field "label" is "", expected the index of one of 2 choices)");
  CHECK(error(R"("choices":["b","c"])") ==
        R"(x.jsonl:1: field "label" is missing; the record has "text", "choices")");
  CHECK(error(R"("choices":[],"label":0)") ==
        R"(x.jsonl:1: field "choices" is empty, choose needs at least one)");
  CHECK(error(R"("choices":["b",1],"label":0)") ==
        R"(x.jsonl:1: field "choices" has a number at index 1, expected strings)");
  CHECK(error(R"("label":0)") == R"(x.jsonl:1: field "choices" is missing; the record has "text", "label")");
}
