#include "model/training_network.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/initialize.h"
#include "model/parts.h"
#include "nn/losses.h"
#include "reference/slow_training.h"

using namespace bert;
using model::Config;
using model::TrainingNetwork;
using Keep = TrainingNetwork::Keep;
using Over = model::Reads;

namespace {

constexpr int64_t kHidden = 24, kLayers = 2;

Config small_config(float dropout = 0, int64_t bias_rows = 0) {
  Config config;
  config.vocab_size = 60;
  config.hidden = kHidden;
  config.layers = kLayers;
  config.heads = 2;
  config.feed_forward = 50;
  config.positions = 40;
  config.bias_rows = bias_rows;
  config.hidden_dropout = config.attention_dropout = dropout;
  return config;
}

struct Classifier {
  int64_t outputs = 2;
  Over over = Over::sequences;
  float dropout = 0;
  bool compares_rows = false;
};

TrainingNetwork network_with(Config config, const Classifier& classifier, Pool& pool) {
  const model::Head head = {.mark = "classifier.weight",
                            .reads = classifier.over,
                            .outputs = classifier.outputs,
                            .fine_tuned = true,
                            .dropout = true,
                            .own_pooler = true,
                            .compares_rows = classifier.compares_rows};
  config.classifier_dropout = classifier.dropout;
  config.init_range = 0.3f;
  TrainingNetwork network(config, {&head}, pool);
  model::initialize(network.parameters(), config, 1, model::PositionStart::normal, pool);
  network.refresh();
  return network;
}

// One tensor of parameters or gradients.
std::span<float> tensor(nn::Params& params, const std::string& name) {
  const auto& entries = params.layout().entries();
  const auto found = std::ranges::find(entries, name, &nn::LayoutEntry::name);
  REQUIRE(found != entries.end());
  return params.tensor(static_cast<int>(found - entries.begin()));
}

struct Sequence {
  std::vector<int32_t> ids;
  std::vector<int64_t> rows;  // rows of the labelled tokens; always includes [CLS]
  int32_t label = 0;
};

std::vector<Sequence> random_sequences(size_t count) {
  std::mt19937 random(4);
  std::vector<Sequence> sequences(count);
  for (auto& sequence : sequences) {
    const int64_t length = 3 + random() % 38;
    sequence.label = static_cast<int32_t>(random() % 3);
    for (int64_t i = 0; i < length; ++i) {
      sequence.ids.push_back(static_cast<int32_t>(random() % 60));
      if (i == 0 || random() % 3 == 0) sequence.rows.push_back(i);
    }
  }
  return sequences;
}

struct Input {
  nn::Batch batch;
  std::vector<int64_t> rows;
  std::vector<int32_t> gold;

  Input(std::span<const Sequence> sequences, Over over) {
    for (const auto& sequence : sequences) {
      const bool tokens = over == Over::tokens;
      for (const int64_t row : sequence.rows)
        if (tokens || row == 0) rows.push_back(batch.tokens() + row);
      gold.insert(gold.end(), tokens ? sequence.rows.size() : 1, sequence.label);
      batch.add(sequence.ids, std::vector<int32_t>(sequence.ids.size()));
    }
  }
};

nn::Tensor& logits_of(TrainingNetwork& network, const Input& input, const nn::DropoutSeed* dropout_seed,
                      Keep keep = Keep::nothing) {
  network.forward(input.batch, input.rows, dropout_seed, keep);
  return network.logits(input.rows);
}

// Accumulates gradients and returns the sum of the losses.
double learn(TrainingNetwork& network, const Input& input, const nn::DropoutSeed* dropout_seed,
             Keep keep = Keep::activations) {
  nn::Tensor& logits = logits_of(network, input, dropout_seed, keep);
  const auto loss = nn::softmax_loss(network.context(), {.gold = input.gold}, 0.125f, logits);
  network.logits_gradient(logits);
  network.backward();
  return loss.sum;
}

struct Learned {
  double loss = 0;
  std::vector<float> gradients;

  bool operator==(const Learned&) const = default;
};

// One step over the sequences in micro-batches of `part`.
Learned learned(const Config& config, const Classifier& classifier, int threads, size_t part,
                std::optional<nn::DropoutSeed> dropout_seed, Keep keep = Keep::activations) {
  Pool pool(threads);
  auto network = network_with(config, classifier, pool);
  const auto sequences = random_sequences(12);
  Learned result;
  for (size_t first = 0; first < sequences.size(); first += part) {
    const auto count = std::min(part, sequences.size() - first);
    const Input input(std::span<const Sequence>(sequences).subspan(first, count), classifier.over);
    result.loss += learn(network, input, dropout_seed ? &*dropout_seed : nullptr, keep);
    if (dropout_seed) dropout_seed->first_sequence += count;
  }
  const auto all = network.gradients().all();
  result.gradients.assign(all.begin(), all.end());
  return result;
}

double distance(const std::vector<float>& a, const std::vector<float>& b) {  // relative distance
  double difference = 0, norm = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    difference += std::pow(static_cast<double>(a[i]) - b[i], 2);
    norm += std::pow(static_cast<double>(b[i]), 2);
  }
  return std::sqrt(difference / norm);
}

void set_identity(TrainingNetwork& network) {
  const auto weight = tensor(network.parameters(), "classifier.weight");
  std::ranges::fill(weight, 0.0f);
  for (size_t i = 0; i < kHidden; ++i) weight[i * kHidden + i] = 1;
  network.refresh();
}

// Dropout factors of a row: 0 or the rate's scale.
std::vector<float> factors(const nn::DropoutSeed& dropout_seed, uint64_t sequence, uint32_t row,
                           nn::DropoutRate rate, nn::DropoutSite site = nn::DropoutSite::pooled) {
  const auto key = nn::dropout_key(dropout_seed, dropout_seed.first_sequence + sequence, kLayers + 1, site);
  std::vector<float> result;
  for (uint32_t j = 0; j < kHidden; ++j)
    result.push_back(reference::kept(key, row, j, rate.threshold) ? rate.scale : 0);
  return result;
}

}  // namespace

TEST_CASE("dropout is applied to the classifier's input") {
  Pool pool(2);
  const nn::DropoutSeed dropout_seed = {.seed = 7, .step = 3, .first_sequence = 5};
  for (const Over over : {Over::sequences, Over::tokens}) {
    const Classifier classifier = {.outputs = kHidden, .over = over, .dropout = 0.3f};
    auto network = network_with(small_config(), classifier, pool);
    set_identity(network);  // the logits are then the classifier's input
    const auto sequences = random_sequences(9);
    const Input input(sequences, over);
    std::vector<std::vector<float>> whole;
    const nn::Tensor& before = logits_of(network, input, nullptr);
    for (int64_t row = 0; row < before.rows(); ++row)
      whole.emplace_back(before.values(row).begin(), before.values(row).end());
    const nn::Tensor& after = logits_of(network, input, &dropout_seed);
    int64_t at = 0;
    for (uint64_t s = 0; s < sequences.size(); ++s) {
      const size_t rows = over == Over::tokens ? sequences[s].rows.size() : 1;
      for (uint32_t row = 0; row < rows; ++row, ++at) {
        auto expected = whole.at(static_cast<size_t>(at));
        const auto factor = factors(dropout_seed, s, row, nn::DropoutRate(0.3f));
        for (size_t j = 0; j < kHidden; ++j) expected[j] *= factor[j];
        CHECK(std::ranges::equal(after.values(at), expected));
      }
    }
    CHECK(at == after.rows());
  }
}

// For a single row, dropping its numbers equals dropping columns of W; a rate of 1/2 scales by exactly 2,
// without rounding.
TEST_CASE("backward drops the same numbers as forward") {
  Pool pool(2);
  constexpr int64_t kOutputs = 3;
  for (const Over over : {Over::sequences, Over::tokens}) {
    const Classifier dropping = {.outputs = kOutputs, .over = over, .dropout = 0.5f};
    const Classifier none = {.outputs = kOutputs, .over = over};
    auto sequences = random_sequences(5);
    for (uint64_t s = 0; s < sequences.size(); ++s) {
      sequences[s].rows = {0};
      const Input input(std::span<const Sequence>(sequences).subspan(s, 1), over);
      const nn::DropoutSeed dropout_seed = {.seed = 9, .step = 1, .first_sequence = s};
      const auto factor = factors(dropout_seed, 0, 0, nn::DropoutRate(0.5f));
      const auto scale = [&](std::span<float> weight) {
        for (size_t i = 0; i < weight.size(); ++i) weight[i] *= factor[i % kHidden];
      };
      auto a = network_with(small_config(), dropping, pool), b = network_with(small_config(), none, pool);
      scale(tensor(b.parameters(), "classifier.weight"));
      b.refresh();
      CHECK(learn(a, input, &dropout_seed) == learn(b, input, &dropout_seed));
      scale(tensor(b.gradients(), "classifier.weight"));
      CHECK(std::ranges::count(factor, 0.0f) > 0);
      CHECK(std::ranges::equal(a.gradients().all(), b.gradients().all()));
    }
  }
}

// As above, for the columns of both layers.
TEST_CASE("a classifier of two layers drops the input of both") {
  Pool pool(2);
  auto config = small_config();
  config.type = model::find_model_type("roberta");
  for (const auto* name : {"electra", "mpnet"}) CHECK(model::find_model_type(name)->drops_head_input);
  const Classifier dropping = {.outputs = 3, .dropout = 0.5f}, none = {.outputs = 3};
  const auto sequences = random_sequences(4);
  for (uint64_t s = 0; s < sequences.size(); ++s) {
    const Input input(std::span<const Sequence>(sequences).subspan(s, 1), Over::sequences);
    const nn::DropoutSeed dropout_seed = {.seed = 9, .step = 1, .first_sequence = s};
    const nn::DropoutRate rate(0.5f);
    const auto scale = [&](nn::Params& params) {
      const auto first = factors(dropout_seed, 0, 0, rate, nn::DropoutSite::feed_forward);
      const auto second = factors(dropout_seed, 0, 0, rate);
      CHECK(first != second);
      const auto pooler = tensor(params, "pooler.dense.weight"), output = tensor(params, "classifier.weight");
      for (size_t i = 0; i < pooler.size(); ++i) pooler[i] *= first[i % kHidden];
      for (size_t i = 0; i < output.size(); ++i) output[i] *= second[i % kHidden];
    };
    auto a = network_with(config, dropping, pool), b = network_with(config, none, pool);
    scale(b.parameters());
    b.refresh();
    CHECK(learn(a, input, &dropout_seed) == learn(b, input, &dropout_seed));
    scale(b.gradients());
    CHECK(std::ranges::equal(a.gradients().all(), b.gradients().all()));
  }
}

TEST_CASE("equal seeds give equal results for any threads, micro-batches and recomputation") {
  const nn::DropoutSeed dropout_seed = {.seed = 5, .step = 2};
  for (const auto& [over, bias_rows] :
       {std::pair(Over::sequences, 0), {Over::tokens, 0}, {Over::tokens, 32}}) {
    const Classifier classifier = {.outputs = 3, .over = over, .dropout = 0.3f};
    const auto config = small_config(0.1f, bias_rows);
    const auto run = [&](int threads, size_t part, nn::DropoutSeed at, Keep keep = Keep::activations) {
      return learned(config, classifier, threads, part, at, keep);
    };
    const auto expected = run(1, 12, dropout_seed);
    CHECK(run(3, 12, dropout_seed) == expected);
    CHECK(run(2, 12, dropout_seed, Keep::inputs) == expected);
    for (const size_t part : {1, 5, 6}) {
      const auto cut = run(2, part, dropout_seed);
      CHECK(std::abs(cut.loss - expected.loss) <= 1e-6 * expected.loss);
      CHECK(distance(cut.gradients, expected.gradients) <= 2e-6);
    }
    for (const auto& other : {nn::DropoutSeed{.seed = 6, .step = 2}, nn::DropoutSeed{.seed = 5, .step = 3},
                              nn::DropoutSeed{.seed = 5, .step = 2, .first_sequence = 1}})
      CHECK(distance(run(1, 12, other).gradients, expected.gradients) > 0.1);
  }
}

TEST_CASE("a dropout rate of 0 changes nothing; the classifier has its own rate") {
  const nn::DropoutSeed dropout_seed = {.seed = 5};
  for (const Over over : {Over::sequences, Over::tokens}) {
    Classifier classifier = {.outputs = 3, .over = over};
    const auto without = learned(small_config(), classifier, 2, 12, {});
    CHECK(learned(small_config(), classifier, 2, 12, dropout_seed) == without);
    classifier.dropout = 0.3f;
    CHECK(distance(learned(small_config(), classifier, 2, 12, dropout_seed).gradients, without.gradients) >
          0.1);
    CHECK(learned(small_config(), classifier, 2, 12, {}) == without);
  }
}

TEST_CASE("a batch without labelled tokens has no loss and no gradient") {
  Pool pool(2);
  const Classifier classifier = {.outputs = 3, .over = Over::tokens, .dropout = 0.3f};
  auto network = network_with(small_config(0.1f), classifier, pool);
  auto sequences = random_sequences(3);
  for (auto& sequence : sequences) sequence.rows.clear();
  const nn::DropoutSeed dropout_seed = {.seed = 5};
  for (const Keep keep : {Keep::activations, Keep::inputs}) {
    CHECK(learn(network, Input(sequences, Over::tokens), &dropout_seed, keep) == 0);
    CHECK(std::ranges::all_of(network.gradients().all(), [](float x) { return x == 0; }));
  }
}

TEST_CASE("a loss that compares rows gives exactly zero gradient to what all rows share") {
  const std::string norm = "encoder.layer.1.output.LayerNorm.bias";
  Pool pool(1);
  const nn::DropoutSeed dropout_seed = {.seed = 5};
  const auto zero = [](std::span<const float> x) {
    return std::ranges::all_of(x, [](float y) { return y == 0; });
  };
  const auto sequences = random_sequences(6);
  for (const Over over : {Over::sequences, Over::tokens}) {
    for (const float dropout : {0.0f, 0.3f}) {
      Classifier classifier = {.outputs = 2, .over = over, .dropout = dropout, .compares_rows = true};
      auto network = network_with(small_config(0.1f), classifier, pool);
      const Input input(sequences, over);
      nn::Tensor& logits = logits_of(network, input, &dropout_seed, Keep::activations);
      const std::vector<int64_t> offsets = {0, 2, logits.rows()};
      nn::place_loss(network.context(), offsets, std::vector<int32_t>{1, 0, 3, 2}, 1, logits);
      network.logits_gradient(logits);
      network.backward();
      CHECK(zero(tensor(network.gradients(), "classifier.bias")));
      CHECK(!zero(tensor(network.gradients(), "classifier.weight")));
      CHECK(zero(tensor(network.gradients(), norm)) == (over == Over::tokens && dropout == 0));
    }
  }
}

// Compared with a step in which everything is trained: frozen tensors have no gradient, the others equal
// bits. Two micro-batches.
TEST_CASE("frozen layers get no gradient; layers above them get their usual gradient") {
  Pool pool(2);
  const auto sequences = random_sequences(8);
  for (const auto& kind : {std::pair(Over::sequences, false),
                           {Over::tokens, false},
                           {Over::sequences, true},
                           {Over::tokens, true}}) {
    const Over over = kind.first;
    const bool weighted = kind.second;
    auto config = small_config(0.1f, over == Over::tokens ? 32 : 0);
    config.weighted_layers = weighted;
    const Classifier classifier = {.outputs = 3, .over = over, .dropout = 0.3f};
    const auto step = [&](TrainingNetwork& network, Keep keep) {
      nn::DropoutSeed dropout_seed = {.seed = 5, .step = 2};
      double loss = 0;
      network.clear_gradients();
      for (; dropout_seed.first_sequence < 8; dropout_seed.first_sequence += 4) {
        const Input input(std::span<const Sequence>(sequences).subspan(dropout_seed.first_sequence, 4), over);
        loss += learn(network, input, &dropout_seed, keep);
      }
      return loss;
    };
    auto whole = network_with(config, classifier, pool);
    const double loss = step(whole, Keep::activations);
    if (weighted) CHECK(tensor(whole.gradients(), "layer_gamma")[0] != 0);
    for (int64_t layers = 0; layers <= kLayers; ++layers) {
      auto network = network_with(config, classifier, pool);
      network.freeze(layers);
      for (const Keep keep : {Keep::activations, Keep::inputs}) {
        CHECK(step(network, keep) == loss);
        for (const auto& entry : whole.parameters().layout().entries()) {
          const auto all = tensor(whole.gradients(), entry.name),
                     some = tensor(network.gradients(), entry.name);
          if (model::is_frozen(entry.name, layers)) {
            CHECK_MESSAGE(std::ranges::all_of(some, [](float x) { return x == 0; }), entry.name, " with ",
                          layers);
          } else {
            CHECK_MESSAGE(std::ranges::equal(some, all), entry.name, " with ", layers);
          }
        }
      }
    }
  }
}

TEST_CASE("frozen word embeddings are also frozen in the decoder, whose bias is still trained") {
  Pool pool(2);
  auto config = small_config();
  config.init_range = 0.3f;
  const model::Heads heads = {model::head_of(task::Task::fill), model::head_of(task::Task::next)};
  TrainingNetwork whole(config, heads, pool), some(config, heads, pool);
  const auto sequences = random_sequences(8);
  const Input input(sequences, Over::tokens);
  const std::vector<int32_t> next(sequences.size(), 1);
  some.freeze(0);
  for (TrainingNetwork* network : {&whole, &some}) {
    model::initialize(network->parameters(), config, 1, model::PositionStart::normal, pool);
    network->refresh();
    network->clear_gradients();
    network->forward(input.batch, input.rows, nullptr, Keep::activations);
    network->masked_lm(input.rows, input.gold, 0.1f);
    network->next_sentence(next, 0.1f);
    network->backward();
  }
  for (const auto& entry : whole.parameters().layout().entries()) {
    const auto expected = tensor(whole.gradients(), entry.name),
               actual = tensor(some.gradients(), entry.name);
    if (entry.name.starts_with("embeddings.")) {
      CHECK_MESSAGE(std::ranges::all_of(actual, [](float x) { return x == 0; }), entry.name);
    } else if (entry.name == "cls.predictions.bias") {  // summed in a different order
      CHECK(distance({actual.begin(), actual.end()}, {expected.begin(), expected.end()}) < 1e-6);
    } else {
      CHECK_MESSAGE(std::ranges::equal(actual, expected), entry.name);
    }
  }
}

TEST_CASE("freezing more layers than the model has is an error") {
  Pool pool(1);
  auto network = network_with(small_config(), {}, pool);
  CHECK_THROWS_WITH_AS(network.freeze(3), "cannot freeze 3 encoder layers, the model has 2", Error);
  CHECK_THROWS_AS(network.freeze(-1), Error);
}
