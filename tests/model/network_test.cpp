#include "model/network.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <set>

#include "base/error.h"
#include "golden/golden.h"
#include "model/parts.h"

using namespace bert;
using model::Needs;
using model::Network;

namespace {

std::vector<float> flat(const nn::Tensor& tensor) {
  std::vector<float> values;
  for (int64_t row = 0; row < tensor.rows(); ++row) {
    values.insert(values.end(), tensor.values(row).begin(), tensor.values(row).end());
  }
  return values;
}

// A small model of tests/golden, with a head that its configuration names.
struct Loaded {
  explicit Loaded(const std::string& name, int threads = 2, const model::Head* head = nullptr)
      : pool(threads),
        config(model::load_config(golden::encoder_directory(name))),
        network(config, ckpt::Checkpoint::open(golden::encoder_directory(name)), needs_of(head), pool) {}

  static Needs needs_of(const model::Head* head) {
    return {.heads = head == nullptr ? model::Heads() : model::Heads{head}};
  }

  Pool pool;
  model::Config config;
  Network network;
};

nn::Batch batch_of(std::span<const golden::Case> cases) {
  nn::Batch batch;
  for (const auto& one : cases) batch.add(one.input_ids, one.token_type_ids);
  return batch;
}

std::vector<int> all_layers(const model::Config& config) {
  std::vector<int> layers(static_cast<size_t>(config.layers) + 1);
  std::iota(layers.begin(), layers.end(), 0);
  return layers;
}

void check_output(const golden::Case& one, const std::string& output, const nn::Tensor& actual) {
  const auto found = one.outputs.find(output);
  if (found == one.outputs.end()) return;
  const double error = found->second.error(flat(actual));
  CHECK_MESSAGE(error <= found->second.bound, one.name, ": ", output, " is off by ", error, ", the bound is ",
                found->second.bound);
}

}  // namespace

TEST_CASE("hidden states and heads match the float64 reference") {
  std::set<std::string_view> compared_heads;
  for (const auto& name : golden::model_names()) {
    CAPTURE(name);
    Loaded model(name);
    size_t compared = 0;
    const auto cases = golden::load(name).cases;
    for (const auto& one : cases) {
      const auto batch = batch_of({&one, 1});
      const auto hidden = model.network.hidden(batch, {.layers = all_layers(model.config)});
      for (size_t layer = 0; layer < hidden.size(); ++layer) {
        check_output(one, "hidden." + std::to_string(layer), hidden[layer]);
      }
      compared += one.outputs.size();
    }
    CHECK(compared > 0);
    for (const auto& head : model::heads()) {
      if (!has_head(model.config, head)) continue;
      Loaded with_head(name, 2, &head);
      const std::string output(head.tensors(*model.config.type));
      for (const auto& one : cases) {
        const auto batch = batch_of({&one, 1});
        auto rows = model::pooled_rows(model.config, batch);
        if (head.reads == model::Reads::sequences) {
          const auto pooled = with_head.network.pooled(with_head.network.head_input(batch, rows));
          check_output(one, "pooled", pooled);
        } else if (output == "cls.predictions") {
          rows.assign(one.masked.begin(), one.masked.end());
        } else {
          rows.resize(static_cast<size_t>(batch.tokens()));
          std::iota(rows.begin(), rows.end(), 0);
        }
        check_output(one, output, with_head.network.logits(with_head.network.head_input(batch, rows)));
        if (one.outputs.contains(output)) compared_heads.insert(head.architectures.front());
      }
    }
  }
  // All but that for replaced tokens, which is compared in tests/golden/types_test.cpp: BERT has none.
  CHECK(compared_heads.size() == model::heads().size() - 1);
}

namespace {

void check_in_batches(const std::string& name) {
  const auto cases = golden::load(name).cases;
  Loaded one_thread(name, 1), three_threads(name, 3);
  const auto layers = all_layers(one_thread.config);
  const auto batch = batch_of(cases);
  const auto together = three_threads.network.hidden(batch, {.layers = layers});
  const auto again = one_thread.network.hidden(batch, {.layers = layers});
  for (size_t layer = 0; layer < layers.size(); ++layer) CHECK(flat(together[layer]) == flat(again[layer]));
  for (size_t i = 0; i < cases.size(); ++i) {
    const auto alone = one_thread.network.hidden(batch_of({&cases[i], 1}), {.layers = layers});
    const int64_t begin = batch.offsets[i], length = batch.length(static_cast<int64_t>(i));
    for (size_t layer = 0; layer < layers.size(); ++layer) {
      bool same = true;
      for (int64_t row = 0; row < length; ++row) {
        same = same && std::ranges::equal(alone[layer].values(row), together[layer].values(begin + row));
      }
      CHECK_MESSAGE(same, cases[i].name, " layer ", layer);
    }
    const std::vector<int64_t> some = {begin, begin + length - 1};
    const auto rows = three_threads.network.hidden(batch, {.layers = {layers.back()}, .rows = some});
    CHECK(std::ranges::equal(rows[0].values(0), together.back().values(some[0])));
    CHECK(std::ranges::equal(rows[0].values(1), together.back().values(some[1])));
  }
}

}  // namespace

TEST_CASE("a sequence's vectors are bitwise equal in any batch and for any number of threads") {
  for (const std::string name : {"pretraining", "causal"}) {
    CAPTURE(name);
    check_in_batches(name);
  }
}

TEST_CASE("in a causal model, the vectors of a prefix are those of the whole sequence, bit for bit") {
  Loaded model("causal");
  const auto cases = golden::load("causal").cases;
  const auto& longest =
      *std::ranges::max_element(cases, {}, [](const golden::Case& one) { return one.input_ids.size(); });
  const auto layers = all_layers(model.config);
  const auto whole = model.network.hidden(batch_of({&longest, 1}), {.layers = layers});
  for (const size_t length : {1, 2, 17, 48, 49, 64, 97}) {
    REQUIRE(length < longest.input_ids.size());
    nn::Batch batch;
    batch.add(std::span(longest.input_ids).first(length), std::span(longest.token_type_ids).first(length));
    const auto prefix = model.network.hidden(batch, {.layers = layers});
    for (size_t layer = 0; layer < layers.size(); ++layer) {
      bool same = true;
      for (int64_t row = 0; row < batch.tokens(); ++row)
        same = same && std::ranges::equal(prefix[layer].values(row), whole[layer].values(row));
      CHECK_MESSAGE(same, "length ", length, " layer ", layer);
    }
  }
  // Any rows of the last layer, in all blocks of queries.
  const std::vector<int64_t> some = {3, 50, 51, 100};
  const auto rows = model.network.hidden(batch_of({&longest, 1}), {.layers = {layers.back()}, .rows = some});
  for (size_t i = 0; i < some.size(); ++i)
    CHECK(std::ranges::equal(rows[0].values(static_cast<int64_t>(i)), whole.back().values(some[i])));
}

TEST_CASE(
    "attention weights sum to 1, are 0 for later tokens of a causal model, and are equal in any batch") {
  for (const std::string name : {"pretraining", "causal"}) {
    CAPTURE(name);
    const auto cases = golden::load(name).cases;
    Loaded one_thread(name, 1), three_threads(name, 3);
    const auto& config = one_thread.config;
    const std::vector<int> layers = {1, static_cast<int>(config.layers)};
    const auto together = three_threads.network.attention(batch_of(cases), layers);
    REQUIRE(together.size() == layers.size());
    size_t later = 0;
    for (size_t i = 0; i < cases.size(); ++i) {
      CAPTURE(cases[i].name);
      const auto alone = one_thread.network.attention(batch_of({&cases[i], 1}), layers);
      const size_t length = cases[i].input_ids.size();
      for (size_t layer = 0; layer < layers.size(); ++layer) {
        const auto& weights = together[layer][i];
        REQUIRE(weights.size() == static_cast<size_t>(config.heads) * length * length);
        CHECK(weights == alone[layer][0]);
        double worst = 0;
        for (size_t row = 0; row < weights.size() / length; ++row) {
          const auto of_row = std::span(weights).subspan(row * length, length);
          CHECK(*std::ranges::min_element(of_row) >= 0);
          worst = std::max(worst, std::abs(std::accumulate(of_row.begin(), of_row.end(), -1.0)));
          later += static_cast<size_t>(
              std::ranges::count_if(of_row.subspan(row % length + 1), [](float x) { return x > 0; }));
        }
        CHECK(worst < 1e-6);
      }
    }
    CHECK((later == 0) == (name == "causal"));
  }
}

TEST_CASE("ids, types and lengths outside the model's range are rejected") {
  Loaded model("pretraining");
  const auto run = [&](std::vector<int32_t> ids, std::vector<int32_t> types) {
    nn::Batch batch;
    batch.add(ids, types);
    (void)model.network.hidden(batch, {.layers = {1}});
  };
  CHECK_NOTHROW(run({1, 2}, {0, 1}));
  CHECK_THROWS_AS(run({1, -1}, {0, 0}), Error);
  CHECK_THROWS_AS(run({static_cast<int32_t>(model.config.vocab_size)}, {0}), Error);
  CHECK_THROWS_AS(run({1}, {2}), Error);
  const auto longest = static_cast<size_t>(model.config.positions);
  CHECK_NOTHROW(run(std::vector<int32_t>(longest, 1), std::vector<int32_t>(longest, 0)));
  CHECK_THROWS_AS(run(std::vector<int32_t>(longest + 1, 1), std::vector<int32_t>(longest + 1, 0)), Error);
}

TEST_CASE("layers above the highest requested one may be missing from the file") {
  Pool pool(1);
  auto config = model::load_config(golden::model_directory("pretraining"));
  config.layers += 5;
  const auto open = [] { return ckpt::Checkpoint::open(golden::encoder_directory("pretraining")); };
  CHECK_NOTHROW(Network(config, open(), {.layers = 1}, pool));
  CHECK_THROWS_AS(Network(config, open(), {}, pool), Error);
}
