#include "train/distill.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/pool.h"
#include "examples/embed_example.h"
#include "heads.h"
#include "model/config.h"
#include "model/parts.h"

namespace bert::golden {
namespace {

using examples::EmbedExample;
using model::TrainingNetwork;
using Keep = TrainingNetwork::Keep;
using Reads = train::SentenceVectors::Reads;

// A case of distill.json, computed by distill_reference.py.
struct DistillCase {
  std::string name;
  train::EmbedLearning::Options options;
  nn::VectorLossOptions loss;
  size_t first = 0;  // examples in the first of two micro-batches
  std::vector<EmbedExample> examples;
  double expected = 0, norm = 0;
  model::Config::Projection projection;
  std::map<std::string, std::vector<float>> parameters;  // of the projection
  std::map<std::string, std::vector<float>> gradients;
};

EmbedExample taught_example(const json::Value& json) {
  EmbedExample example;
  for (const auto& text : json.find("texts").value().elements()) {
    const auto [ids, types] = head_sequence(text);
    example.ids.insert(example.ids.end(), ids.begin(), ids.end());
    example.types.insert(example.types.end(), types.begin(), types.end());
    example.lengths.push_back(ids.size());
  }
  for (const auto& number : json.find("target").value().elements())
    example.target.push_back(static_cast<float>(number.number()));
  return example;
}

void read_settings(const json::Value& json, DistillCase& one) {
  const auto objective = json.find("objective").value().string();
  one.loss.loss = std::ranges::find(nn::kVectorLosses, objective, &nn::VectorLossName::name)->loss;
  one.loss.unit_length = json.find("unit_length").value().boolean();
  for (const auto dim : json.find("dims").value().integers()) one.loss.dims.push_back(dim);
  one.options.pooling.clear();
  for (const auto& mode : json.find("pooling").value().elements())
    one.options.pooling.push_back(
        std::ranges::find(model::kPoolings, mode.string(), &model::PoolingName::name)->mode);
  if (json.find("reads_unit_length").value().boolean()) one.options.projection_reads = Reads::unit_length;
}

std::vector<DistillCase> load_distill_cases() {
  const json::File index((training_directory() / "distill.json").string());
  const MappedFile numbers((training_directory() / "distill.f32").string());
  std::vector<DistillCase> cases;
  for (const auto& json : index.find("cases").value().elements()) {
    auto& one = cases.emplace_back();
    one.name = json.find("name").value().string();
    read_settings(json, one);
    one.first = json.find("first").value().integer();
    for (const auto& example : json.find("step").value().elements())
      one.examples.push_back(taught_example(example));
    one.expected = json.find("loss").value().number();
    one.norm = json.find("norm").value().number();
    int64_t offset = json.find("offset").value().integer();
    const auto parameters = json.find("parameters").value().elements();
    const auto read = [&](const json::Value& parameter, auto& to) {
      int64_t count = 1;
      const auto shape = parameter.find("shape").value().integers();
      for (const int32_t length : shape) count *= length;
      const std::string name(parameter.find("name").value().string());
      to.emplace(name, read_numbers(numbers.bytes(), offset, count));
      if (name == std::string(model::kProjection) + ".weight")
        one.projection = {.in = shape.at(1), .out = shape.at(0)};
    };
    for (const auto& parameter : parameters)
      if (parameter.find("name").value().string().starts_with(model::kProjection))
        read(parameter, one.parameters);
    for (const auto& parameter : parameters) read(parameter, one.gradients);
  }
  return cases;
}

TrainingNetwork load_student(const DistillCase& one, Pool& pool) {
  const auto directory = (training_directory() / "narrow").string();
  auto config = model::load_config(directory);
  config.projection = one.projection;
  TrainingNetwork network(config, {}, pool);
  CHECK(network.load(ckpt::Checkpoint::open(directory)).size() == one.parameters.size());
  const auto& entries = network.parameters().layout().entries();
  for (size_t place = 0; place < entries.size(); ++place) {
    const auto found = one.parameters.find(entries[place].name);
    if (found == one.parameters.end()) continue;
    const auto to = network.parameters().tensor(static_cast<int>(place));
    REQUIRE(to.size() == found->second.size());
    std::ranges::copy(found->second, to.begin());
  }
  network.refresh();
  return network;
}

// The examples in micro-batches that end at `ends`.
examples::Step cut_taught(const std::vector<EmbedExample>& all, const std::vector<size_t>& ends) {
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

}  // namespace

TEST_CASE("losses against a teacher's vectors and their gradients match PyTorch's in float64") {
  Pool pool(2);
  std::set<nn::VectorLoss> losses;
  for (auto one : load_distill_cases()) {
    losses.insert(one.loss.loss);
    for (const Keep keep : {Keep::activations, Keep::inputs}) {
      auto network = load_student(one, pool);
      one.options.keep = keep;
      train::DistillLearning learning(network, one.options, one.loss);
      const size_t all = one.examples.size();
      for (const auto& ends : std::vector<std::vector<size_t>>{{all}, {one.first, all}}) {
        INFO(one.name, ", ", ends.size(), " micro-batches, Keep ", static_cast<int>(keep));
        const auto figures = learning.learn(cut_taught(one.examples, ends), {});
        REQUIRE(figures.size() == 1);
        CHECK(std::abs(figures.front().value - one.expected) <= 1e-5 * std::max(1.0, one.expected));
        const auto& entries = network.gradients().layout().entries();
        REQUIRE(entries.size() == one.gradients.size());
        for (size_t place = 0; place < entries.size(); ++place) {
          const auto& name = entries[place].name;
          const double share = gradient_share(network.gradients().tensor(static_cast<int>(place)),
                                              one.gradients.at(name), one.norm);
          CHECK_MESSAGE(share <= 1, name, ": ", share, " of what is allowed");
        }
      }
    }
  }
  CHECK(losses.size() == std::size(nn::kVectorLosses));
}

TEST_CASE("threads do not change any bit of losses against a teacher's vectors and their gradients") {
  for (const auto& one : load_distill_cases()) {
    INFO(one.name);
    CHECK(same_for_threads([&](Pool& pool) {
      auto network = load_student(one, pool);
      train::DistillLearning learning(network, one.options, one.loss);
      const auto figures = learning.learn(cut_taught(one.examples, {one.examples.size()}), {});
      return StepBits(figures.front().value, network.gradients().all());
    }));
  }
}

}  // namespace bert::golden
