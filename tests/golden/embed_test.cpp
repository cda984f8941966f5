#include "train/embed.h"

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/pool.h"
#include "examples/embed_example.h"
#include "heads.h"
#include "model/config.h"
#include "train/optimizer.h"

namespace bert::golden {
namespace {

using examples::EmbedExample;
using model::TrainingNetwork;
using Keep = TrainingNetwork::Keep;
using Examples = std::vector<EmbedExample>;

// A case of embed.json, computed by embed_reference.py.
struct EmbedCase {
  struct Step {
    Examples examples;
    double loss = 0, norm = 0, rate = 0;
    int64_t right = 0;
  };
  std::string name;
  train::EmbedLearning::Options options;
  size_t first = 0;  // examples in the first of two micro-batches
  Step step;
  std::map<std::string, std::vector<float>> gradients;
  std::vector<Step> curve;
};

EmbedExample embed_example(const json::Value& json) {
  EmbedExample example;
  for (const auto& text : json.find("texts").value().elements()) {
    const auto [ids, types] = head_sequence(text);
    example.ids.insert(example.ids.end(), ids.begin(), ids.end());
    example.types.insert(example.types.end(), types.begin(), types.end());
    example.lengths.push_back(ids.size());
  }
  if (const auto label = json.find("label")) {
    example.scored = true;
    example.label = label->number();
  }
  if (const auto scores = json.find("scores"))
    for (const auto& score : scores->elements()) example.scores.push_back(static_cast<float>(score.number()));
  if (const auto guide = json.find("guide"))
    for (const auto& vector : guide->elements())
      for (const auto& number : vector.elements())
        example.guide.push_back(static_cast<float>(number.number()));
  return example;
}

Examples embed_examples(const json::Value& array) {
  Examples examples;
  for (const auto& json : array.elements()) examples.push_back(embed_example(json));
  return examples;
}

train::EmbedLearning::Options options_of(const json::Value& json) {
  const auto text = [&](const char* key) { return json.find(key).value().string(); };
  const auto number = [&](const char* key) { return static_cast<float>(json.find(key).value().number()); };
  train::EmbedLearning::Options options;
  options.loss.loss =
      std::ranges::find(nn::kSimilarityLosses, text("objective"), &nn::SimilarityLossName::name)->loss;
  options.loss.scale = number("scale");
  options.loss.margin = number("margin");
  if (json.find("similarity")) {
    options.loss.similarity = text("similarity") == "dot" ? nn::Similarity::dot : nn::Similarity::cosine;
    options.loss.temperature = number("temperature");
  }
  if (const auto relative = json.find("relative_margin")) {
    options.loss.relative_margin = relative->boolean();
    options.loss.guide_margin = number("guide_margin");
  }
  options.loss.distance = text("distance") == "cosine" ? nn::Distance::cosine : nn::Distance::euclidean;
  for (const auto dim : json.find("dims").value().integers()) options.loss.dims.push_back(dim);
  options.pooling.clear();
  for (const auto& mode : json.find("pooling").value().elements())
    options.pooling.push_back(
        std::ranges::find(model::kPoolings, mode.string(), &model::PoolingName::name)->mode);
  return options;
}

EmbedCase::Step step_of(const json::Value& json, const char* examples) {
  return {.examples = embed_examples(json.find(examples).value()),
          .loss = json.find("loss").value().number(),
          .norm = json.find("norm").value().number(),
          .rate = json.find("rate") ? json.find("rate")->number() : 0,
          .right = json.find("right").value().integer()};
}

std::vector<EmbedCase> load_embed_cases() {
  const json::File index(training_directory() / "embed.json");
  const MappedFile numbers((training_directory() / "embed.f32").string());
  std::vector<EmbedCase> cases;
  for (const auto& json : index.find("cases").value().elements()) {
    auto& one =
        cases.emplace_back(EmbedCase{.name = std::string(json.find("name").value().string()),
                                     .options = options_of(json),
                                     .first = static_cast<size_t>(json.find("first").value().integer()),
                                     .step = step_of(json, "step"),
                                     .gradients = {},
                                     .curve = {}});
    int64_t offset = json.find("offset").value().integer();
    for (const auto& parameter : json.find("parameters").value().elements()) {
      int64_t count = 1;
      for (const int32_t length : parameter.find("shape").value().integers()) count *= length;
      one.gradients.emplace(parameter.find("name").value().string(),
                            read_numbers(numbers.bytes(), offset, count));
    }
    for (const auto& step : json.find("curve").value().elements())
      one.curve.push_back(step_of(step, "examples"));
  }
  return cases;
}

CurveOptions curve_settings() {
  return curve_options(json::File(training_directory() / "embed.json").find("options").value());
}

TrainingNetwork load_encoder(Pool& pool) {
  const auto directory = (training_directory() / "narrow").string();
  TrainingNetwork network(model::load_config(directory), {}, pool);
  CHECK(network.load(ckpt::Checkpoint::open(directory)).empty());
  network.refresh();
  return network;
}

// The examples in micro-batches that end at `ends`.
examples::Step cut(const Examples& all, const std::vector<size_t>& ends) {
  examples::Step step;
  uint64_t sequence = 0;
  size_t i = 0;
  for (const size_t end : ends) {
    auto& batch = step.batches.emplace_back();
    for (; i < end; ++i) {
      batch.add(std::make_unique<EmbedExample>(all[i]), sequence);
      sequence += all[i].lengths.size();
    }
  }
  return step;
}

std::vector<std::vector<size_t>> cuts_of(const EmbedCase& one) {
  const size_t all = one.step.examples.size();
  return {{all}, {one.first, all}, {1, one.first + 1, all}};
}

void check_step(const metric::Values& figures, const EmbedCase& one, const EmbedCase::Step& want) {
  CHECK(std::abs(figures.front().value - want.loss) <= 1e-5 * std::max(1.0, want.loss));
  if (figures.size() > 1)
    CHECK(figures[1].value * static_cast<double>(want.examples.size()) == doctest::Approx(want.right));
  CHECK((figures.size() > 1) == nn::finds_positives(one.options.loss.loss));
}

}  // namespace

TEST_CASE("losses and gradients of sentence vectors match PyTorch's in float64, for any micro-batches") {
  Pool pool(2);
  std::set<nn::SimilarityLoss> losses;
  std::set<model::PoolingMode> modes;
  for (auto one : load_embed_cases()) {
    losses.insert(one.options.loss.loss);
    modes.insert(one.options.pooling.begin(), one.options.pooling.end());
    for (const Keep keep : {Keep::activations, Keep::inputs}) {
      auto network = load_encoder(pool);
      one.options.keep = keep;
      train::EmbedLearning learning(network, one.options);
      for (const auto& ends : cuts_of(one)) {
        INFO(one.name, ", ", ends.size(), " micro-batches, Keep ", static_cast<int>(keep));
        check_step(learning.learn(cut(one.step.examples, ends), {}), one, one.step);
        const auto& entries = network.gradients().layout().entries();
        REQUIRE(entries.size() == one.gradients.size());
        for (size_t place = 0; place < entries.size(); ++place) {
          const auto& name = entries[place].name;
          const double share = gradient_share(network.gradients().tensor(static_cast<int>(place)),
                                              one.gradients.at(name), one.step.norm);
          CHECK_MESSAGE(share <= 1, name, ": ", share, " of what is allowed");
        }
      }
    }
  }
  CHECK(losses.size() == std::size(nn::kSimilarityLosses));
  CHECK(modes.size() == std::size(model::kPoolings));
}

TEST_CASE("20 steps of sentence vectors match PyTorch's losses") {
  const auto options = curve_settings();
  for (const auto& one : load_embed_cases()) {
    REQUIRE(one.curve.size() == 20);
    Pool pool(2);
    auto network = load_encoder(pool);
    train::EmbedLearning learning(network, one.options);
    train::Optimizer optimizer(network.parameters().layout(), {.method = train::Method::adamw,
                                                               .beta1 = options.beta1,
                                                               .beta2 = options.beta2,
                                                               .epsilon = options.epsilon,
                                                               .weight_decay = options.weight_decay});
    for (const auto& want : one.curve) {
      INFO(one.name, ", step ", &want - one.curve.data());
      check_step(learning.learn(cut(want.examples, {want.examples.size() / 2, want.examples.size()}), {}),
                 one, want);
      const double norm = train::norm_of(train::square_sums(network.gradients(), network.context()));
      optimizer.step(network.parameters(), network.gradients(), want.rate,
                     train::clip_factor(norm, options.clip), network.context());
      learning.refresh();
      CHECK(std::abs(norm - want.norm) <= 2e-5 * want.norm);
    }
  }
}

TEST_CASE("threads do not change any bit of the loss and gradients of sentence vectors") {
  for (const auto& one : load_embed_cases()) {
    INFO(one.name);
    CHECK(same_for_threads([&](Pool& pool) {
      auto network = load_encoder(pool);
      train::EmbedLearning learning(network, one.options);
      const auto figures = learning.learn(cut(one.step.examples, cuts_of(one)[1]), {});
      return StepBits(figures.front().value, network.gradients().all());
    }));
  }
}

}  // namespace bert::golden
