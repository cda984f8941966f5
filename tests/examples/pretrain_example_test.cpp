#include "examples/pretrain_example.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/random.h"
#include "examples/record_source.h"
#include "examples/records.h"
#include "examples/steps.h"
#include "features/letters.h"
#include "json/json.h"

using namespace bert;
using namespace bert::corpus;
using namespace bert::examples;
using bert::features::letters;
using io::TemporaryDirectory;
using Ids = std::vector<int32_t>;

namespace {

const text::Tokenizer& vocabulary() {
  static const auto tokenizer = letters();
  return tokenizer;
}

Log& quiet() {
  static Log log("test");
  return log;
}

// All examples of the FILEs in order, epoch by epoch.
std::vector<PretrainExample> examples_of(const io::StreamOptions& stream, const MaskOptions& mask = {},
                                         int64_t epochs = 1,
                                         PretrainLimits limits = {.max_length = 30, .types = 2}) {
  PretrainReader reader(vocabulary(), mask, limits);
  const auto source = open_records(stream, {.order = SourceOptions::Order::given, .epochs = epochs}, quiet());
  Steps steps(*source, reader, {.sequences = 1});
  std::vector<PretrainExample> examples;
  for (Step step; steps.next(step);) examples.push_back(step.batches[0].examples[0]->as<PretrainExample>());
  return examples;
}

std::vector<PretrainExample> examples_of_lines(const std::string& lines) {
  const TemporaryDirectory directory;
  return examples_of(stream_of({directory.write("in.jsonl", lines)}));
}

// The error message for a record, without its location.
std::string error_of(const std::string& record) {
  try {
    examples_of_lines(record);
  } catch (const Error& error) {
    const std::string message = error.what();
    const auto place = message.find("in.jsonl:1: ");
    return place == std::string::npos ? message : message.substr(place + 12);
  }
  return "";
}

std::string random_records(uint64_t seed, int64_t count, bool placed) {
  Random random(seed);
  std::string lines;
  for (int64_t i = 0; i < count; ++i) {
    Ids ids{2};
    for (uint32_t words = 1 + random.below(25); words > 0; --words)
      ids.push_back(5 + static_cast<int32_t>(random.below(52)));
    ids.push_back(3);
    lines += "{\"input_ids\":";
    json::append_integers(lines, ids);
    if (placed) lines += ",\"document\":" + std::to_string(i / 3) + ",\"instance\":" + std::to_string(i % 3);
    lines += "}\n";
    if (i % 10 == 9) lines += "{\"bad\":1}\n";
  }
  return lines;
}

struct Hidden {
  Ids ids, positions, gold;
  bool operator==(const Hidden&) const = default;
};

Hidden hidden_in(const PretrainExample& example) { return {example.ids, example.positions, example.gold}; }

// The output of bert-mask for the same input.
std::vector<Hidden> masked_by_filter(const io::StreamOptions& stream, const MaskOptions& mask) {
  Log log("test");
  MaskFilter filter(vocabulary(), mask, log);
  const auto ran = io::run_and_catch(stream, 2, filter);
  REQUIRE(!ran.failed);
  std::vector<Hidden> all;
  json::Document document;
  std::istringstream out(ran.out);
  for (std::string line; std::getline(out, line);) {
    const auto root = document.parse(line);
    all.push_back({root.find("input_ids")->integers(), root.find("masked_lm_positions")->integers(),
                   root.find("masked_lm_ids")->integers()});
  }
  return all;
}

}  // namespace

TEST_CASE("a masked record is used unchanged") {
  const auto examples = examples_of_lines(
      "{\"input_ids\":[2,4,3,6,3],\"token_type_ids\":[0,0,0,1,1],\"masked_lm_positions\":[1,3],"
      "\"masked_lm_ids\":[7,6],\"next_sentence_label\":1}\n"
      "{\"input_ids\":[2,3],\"masked_lm_positions\":[],\"masked_lm_ids\":[],\"next_sentence_label\":0}\n");
  REQUIRE(examples.size() == 2);
  CHECK(examples[0].ids == Ids{2, 4, 3, 6, 3});
  CHECK(examples[0].types == Ids{0, 0, 0, 1, 1});
  CHECK(examples[0].positions == Ids{1, 3});
  CHECK(examples[0].gold == Ids{7, 6});
  CHECK(examples[0].next == 1);
  CHECK(examples[0].where.ends_with("in.jsonl:1"));
  CHECK(examples[1].types == Ids{0, 0});
  CHECK(examples[1].positions.empty());
  CHECK(examples[1].next == 0);
}

TEST_CASE("labels follow Hugging Face: -100 where no prediction is wanted") {
  const auto examples = examples_of_lines(
      "{\"input_ids\":[2,4,9,6,3],\"labels\":[-100,5,-100,6,-100]}\n"
      "{\"input_ids\":[2,3],\"labels\":[-100,-100]}");
  REQUIRE(examples.size() == 2);
  CHECK(examples[0].ids == Ids{2, 4, 9, 6, 3});
  CHECK(examples[0].positions == Ids{1, 3});
  CHECK(examples[0].gold == Ids{5, 6});
  CHECK(!examples[0].next);
  CHECK(examples[1].positions.empty());
}

TEST_CASE("an unmasked record is masked as by bert-mask --epoch, by place or by document and instance") {
  const TemporaryDirectory directory;
  for (const bool placed : {false, true}) {
    for (const auto unit : {MaskRule::Unit::token, MaskRule::Unit::word}) {
      io::StreamOptions stream = stream_of({directory.write("a.jsonl", random_records(1, 40, placed)),
                                            directory.write("b.jsonl", random_records(2, 25, placed))});
      stream.on_error = io::OnError::skip;
      stream.first_record = 1000;
      MaskOptions mask;
      mask.seed = 12;
      mask.rule.unit = unit;
      mask.rule.max_predictions = 3;
      std::vector<PretrainExample> trained;
      messages_of([&] { trained = examples_of(stream, mask, 3); });
      std::vector<Hidden> expected;
      for (mask.epoch = 0; mask.epoch < 3; ++mask.epoch)
        for (auto& one : masked_by_filter(stream, mask)) expected.push_back(std::move(one));
      REQUIRE(trained.size() == expected.size());
      REQUIRE(trained.size() == 3 * 65);
      for (size_t i = 0; i < trained.size(); ++i) CHECK(hidden_in(trained[i]) == expected[i]);
      CHECK(expected[0].ids.size() == expected[65].ids.size());
      const auto epoch = [&](ptrdiff_t i) {
        return std::vector<Hidden>(expected.begin() + 65 * i, expected.begin() + 65 * (i + 1));
      };
      CHECK(epoch(0) != epoch(1));
      CHECK(epoch(1) != epoch(2));
    }
  }
}

TEST_CASE("an example has the same mask at any position in the order") {
  const TemporaryDirectory directory;
  const auto name = directory.write("a.jsonl", random_records(3, 9, true));
  const auto given = examples_of(stream_of({name}));
  PretrainReader reader(vocabulary(), {}, {.max_length = 30, .types = 2});
  for (const uint64_t seed : {1, 2, 3}) {
    for (const bool pipe : {false, true}) {
      // With /dev/null as a second FILE, the input is read like a pipe.
      const auto stream = pipe ? stream_of({name, "/dev/null"}) : stream_of({name});
      const auto source = open_records(stream, {.seed = seed, .epochs = 1}, quiet());
      Steps steps(*source, reader, {.sequences = 4});
      std::set<std::string> seen;
      for (Step step; steps.next(step);) {
        for (const auto& example : step.batches[0].examples) {
          const auto same = std::find_if(given.begin(), given.end(),
                                         [&](const auto& one) { return one.where == example->where; });
          REQUIRE(same != given.end());
          CHECK(hidden_in(example->as<PretrainExample>()) == hidden_in(*same));
          seen.insert(example->where);
        }
      }
      CHECK(seen.size() == 9);
    }
  }
}

TEST_CASE("an invalid record is reported in one line") {
  CHECK(error_of("{}") ==
        "field \"input_ids\" is missing: bert-tokenize --sentences and bert-nsp-pairs make such records of "
        "texts");
  CHECK(error_of("{\"input_ids\":[]}") == "field \"input_ids\" is empty");
  CHECK(error_of("{\"input_ids\":\"2 3\"}") ==
        "field \"input_ids\" is a string, expected an array of integers");
  CHECK(error_of("{\"input_ids\":[2,57]}") ==
        "field \"input_ids\": 57 at position 1 is not in the vocabulary of 57 tokens");
  CHECK(error_of("{\"input_ids\":[2,3],\"token_type_ids\":[0]}") ==
        "field \"token_type_ids\" has 1 value, input_ids has 2");
  CHECK(error_of("{\"input_ids\":[2,3],\"token_type_ids\":[0,-1]}") ==
        "field \"token_type_ids\": -1 at position 1 is negative");
  CHECK(error_of("{\"input_ids\":[2,3],\"token_type_ids\":[2,0]}") ==
        "field \"token_type_ids\": 2 at position 0, the model has 2 types");
  std::string longest = "{\"input_ids\":[2";
  for (int i = 0; i < 28; ++i) longest += ",9";
  CHECK(error_of(longest + ",3]}") == "");
  CHECK(error_of(longest + ",9,3]}") == "has 31 tokens, more than the maximum length of 30");

  const auto masked = [](const std::string& fields) {
    return error_of("{\"input_ids\":[2,4,3]," + fields + "}");
  };
  CHECK(masked("\"masked_lm_positions\":[1]") ==
        "field \"masked_lm_ids\" is missing, but \"masked_lm_positions\" is there");
  CHECK(masked("\"masked_lm_ids\":[1]") ==
        "field \"masked_lm_positions\" is missing, but \"masked_lm_ids\" is there");
  CHECK(masked("\"masked_lm_positions\":[1],\"masked_lm_ids\":[5,6]") ==
        "field \"masked_lm_ids\" has 2 values, masked_lm_positions has 1");
  CHECK(masked("\"masked_lm_positions\":[3],\"masked_lm_ids\":[5]") ==
        "field \"masked_lm_positions\": 3 is not a position of 3 tokens");
  CHECK(masked("\"masked_lm_positions\":[-1],\"masked_lm_ids\":[5]") ==
        "field \"masked_lm_positions\": -1 is not a position of 3 tokens");
  CHECK(masked("\"masked_lm_positions\":[1,0],\"masked_lm_ids\":[5,6]") ==
        "field \"masked_lm_positions\": 0 after 1, expected ascending positions");
  CHECK(masked("\"masked_lm_positions\":[1,1],\"masked_lm_ids\":[5,6]") ==
        "field \"masked_lm_positions\": 1 after 1, expected ascending positions");
  CHECK(masked("\"masked_lm_positions\":[1],\"masked_lm_ids\":[-5]") ==
        "field \"masked_lm_ids\": -5 at position 0 is not in the vocabulary of 57 tokens");
  CHECK(masked("\"labels\":[-100,5]") == "field \"labels\" has 2 values, input_ids has 3");
  CHECK(masked("\"labels\":[-100,57,-100]") ==
        "field \"labels\": 57 at position 1 is not in the vocabulary of 57 tokens");
  CHECK(masked("\"labels\":[-1,5,-100]") ==
        "field \"labels\": -1 at position 0 is not in the vocabulary of 57 tokens");
  CHECK(masked("\"labels\":[-100,5,-100],\"masked_lm_positions\":[1],\"masked_lm_ids\":[5]") ==
        "fields \"masked_lm_positions\" and \"labels\" are both present, expected one of them");
  CHECK(masked("\"next_sentence_label\":2") == "field \"next_sentence_label\" is 2, expected 0 or 1");
  CHECK(masked("\"next_sentence_label\":true") ==
        "field \"next_sentence_label\" is a boolean, expected an integer");
}

TEST_CASE("records with and without next_sentence_label never mix, even with --on-error skip") {
  const TemporaryDirectory directory;
  const auto a = directory.write("a.jsonl", "{\"input_ids\":[2,3]}\n{\"input_ids\":[2,3]}\n");
  const auto b = directory.write("b.jsonl", "\n{\"input_ids\":[2,3],\"next_sentence_label\":0}\n");
  const std::string expected = b + ":2: field \"next_sentence_label\" is present, but " + a + ":1 has none";
  auto stream = stream_of({a, b});
  stream.on_error = io::OnError::skip;
  CHECK_THROWS_WITH_AS(examples_of(stream), expected.c_str(), Error);
  stream.files = {b, a};
  CHECK_THROWS_WITH_AS(examples_of(stream), expected.c_str(), Error);
  stream.files = {a, a};
  CHECK(examples_of(stream).size() == 4);
}

TEST_CASE("a causal model learns the next tokens: labels are read one position before") {
  const TemporaryDirectory directory;
  const MaskOptions next{.rule = {.target = MaskRule::Target::next}};
  const auto examples = [&](const std::string& line) {
    return examples_of(stream_of({directory.write("in.jsonl", line)}), next);
  };
  const auto labelled = examples(R"({"input_ids":[2,5,6,3],"labels":[2,5,-100,3]})")[0];
  CHECK(labelled.positions == Ids{0, 2});
  CHECK(labelled.gold == Ids{5, 3});
  const auto all = examples(R"({"input_ids":[2,5,6,3],"labels":[2,5,6,3]})")[0];
  const auto without = examples(R"({"input_ids":[2,5,6,3]})")[0];
  CHECK(all.positions == without.positions);
  CHECK(all.gold == without.gold);

  const std::string mask = std::to_string(vocabulary().mask());
  const std::string masked =
      "{\"input_ids\":[2," + mask + ",6,3],\"masked_lm_positions\":[1],\"masked_lm_ids\":[5]}";
  CHECK_THROWS_WITH(examples(masked),
                    doctest::Contains("token 1 is [MASK], but a causal model predicts next tokens"));
  CHECK(examples_of_lines(masked)[0].gold == Ids{5});
}
