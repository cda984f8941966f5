#include "training.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "base/pool.h"
#include "model/config.h"
#include "model/initialize.h"
#include "training_step.h"

namespace bert::golden {
namespace {

using model::TrainingNetwork;
using Keep = TrainingNetwork::Keep;

TrainingNetwork load_network(const std::string& directory, Pool& pool,
                             const model::Heads& heads = pretraining_heads()) {
  TrainingNetwork network(model::load_config(directory), heads, pool);
  REQUIRE(network.load(ckpt::Checkpoint::open(directory)).empty());
  network.refresh();
  return network;
}

const std::vector<std::string> kModels = {"narrow", "broad", "causal"};

// The parameter whose gradient has the largest error.
struct Worst {
  std::string parameter;
  double share = 0;  // fraction of the tolerance
};

Worst worst_gradient(const nn::Params& gradients, const TrainingCase& expected) {
  Worst worst;
  const auto& entries = gradients.layout().entries();
  for (size_t place = 0; place < entries.size(); ++place) {
    const auto& name = entries[place].name;
    const double share =
        gradient_share(gradients.tensor(static_cast<int>(place)), expected.gradients.at(name), expected.norm);
    if (share >= worst.share) worst = {.parameter = name, .share = share};
  }
  return worst;
}

void check_losses(const StepLosses& losses, const TrainingCase& expected) {
  CHECK(std::abs(StepLosses::mean(losses.masked_lm) - expected.mlm_loss) <= 1e-6 * expected.mlm_loss);
  CHECK(std::abs(StepLosses::mean(losses.next) - expected.next_loss) <= 1e-6 * expected.next_loss);
  CHECK(losses.masked_lm.count == expected.masked);
  CHECK(losses.masked_lm.correct == expected.masked_right);
  CHECK(losses.next.count == expected.labelled);
  CHECK(losses.next.correct == expected.next_right);
}

void check_gradients(const nn::Params& gradients, const TrainingCase& expected) {
  const auto worst = worst_gradient(gradients, expected);
  INFO("worst gradient: ", worst.parameter, ", ", worst.share, " of what is allowed");
  CHECK(worst.share <= 1);
}

const TrainingCase& case_named(const TrainingModel& model, const std::string& name) {
  for (const auto& one : model.cases)
    if (one.name == name) return one;
  throw Error("no case is called ", name);
}

std::vector<float> gradients_with(int threads, const std::string& directory, const TrainingStep& step,
                                  Keep keep) {
  Pool pool(threads);
  auto network = load_network(directory, pool);
  run_step(network, step, keep);
  const auto all = network.gradients().all();
  return {all.begin(), all.end()};
}

}  // namespace

TEST_CASE("the network has the reference's parameters") {
  Pool pool(1);
  for (const auto& name : kModels) {
    const auto expected = load_training(name);
    auto network = load_network(expected.directory, pool);
    std::set<std::string> ours, theirs;
    for (const auto& entry : network.parameters().layout().entries()) ours.insert(entry.name);
    for (const auto& [parameter, gradient] : expected.cases.at(0).gradients) theirs.insert(parameter);
    CHECK(ours == theirs);
  }
}

TEST_CASE("losses and gradients match PyTorch's in float64") {
  Pool pool(2);
  for (const auto& name : kModels) {
    const auto expected = load_training(name);
    auto network = load_network(expected.directory, pool);
    for (const auto& one : expected.cases) {
      for (const Keep keep : {Keep::activations, Keep::inputs}) {
        INFO(name, ": ", one.name, std::string(keep == Keep::inputs ? ", recomputed" : ""));
        check_losses(run_step(network, one.micro_batches, keep), one);
        check_gradients(network.gradients(), one);
      }
      INFO(name, ": ", one.name, ", evaluated");
      check_losses(run_step(network, one.micro_batches, Keep::nothing), one);
    }
  }
}

TEST_CASE("a network with one of the two heads has the gradients of that head alone") {
  Pool pool(1);
  const auto expected = load_training("narrow");
  const auto both = pretraining_heads();
  for (const auto& [name, heads] : std::map<std::string, model::Heads>{
           {"MLM alone", {both.front()}}, {"no masked token at all", {both.back()}}}) {
    const auto& one = case_named(expected, name);
    INFO(one.name);
    auto network = load_network(expected.directory, pool, heads);
    check_losses(run_step(network, one.micro_batches, Keep::activations), one);
    check_gradients(network.gradients(), one);
  }
}

TEST_CASE("threads and recomputation do not change any bit of a gradient") {
  for (const auto& name : kModels) {
    const auto model = load_training(name);
    const auto& step = case_named(model, "two micro-batches").micro_batches;
    const auto expected = gradients_with(1, model.directory, step, Keep::activations);
    for (const int threads : {1, 2, 3, 5}) {
      for (const Keep keep : {Keep::activations, Keep::inputs}) {
        INFO(name, ", ", threads, " threads", std::string(keep == Keep::inputs ? ", recomputed" : ""));
        CHECK(std::ranges::equal(gradients_with(threads, model.directory, step, keep), expected));
      }
    }
  }
}

TEST_CASE("4 micro-batches of 8 give the gradients of one batch of 32") {
  Pool pool(2);
  const auto records = stored_records();
  TrainingStep cut, whole(1);
  for (size_t i = 0; i < 32; ++i) {
    if (i % 8 == 0) cut.emplace_back();
    cut.back().push_back(records.at(i));
    whole[0].push_back(records.at(i));
  }
  auto network = load_network((training_directory() / "narrow").string(), pool);
  run_step(network, whole, Keep::activations);
  TrainingCase expected = {.norm = norm_of(std::span<const float>(network.gradients().all()))};
  const auto& entries = network.gradients().layout().entries();
  for (size_t place = 0; place < entries.size(); ++place) {
    const auto gradient = network.gradients().tensor(static_cast<int>(place));
    expected.gradients.emplace(entries[place].name, std::vector<float>(gradient.begin(), gradient.end()));
  }
  run_step(network, cut, Keep::activations);
  check_gradients(network.gradients(), expected);
}

// Vaswani et al. 2017, section 3.5, with the sines in the first half of a row.
TEST_CASE("sinusoidal positions start as in the reference") {
  Pool pool(1);
  const auto directory = (training_directory() / "narrow").string();
  TrainingNetwork network(model::load_config(directory), {}, pool);
  model::initialize(network.parameters(), network.config(), 1, model::PositionStart::sinusoid, pool);
  const MappedFile file((training_directory() / "sinusoid.f32").string());
  int64_t offset = 0;
  const auto expected = read_numbers(file.bytes(), offset, static_cast<int64_t>(file.bytes().size() / 4));
  const auto& entries = network.parameters().layout().entries();
  const auto positions =
      std::ranges::find(entries, "embeddings.position_embeddings.weight", &nn::LayoutEntry::name);
  REQUIRE(positions != entries.end());
  const auto values = network.parameters().tensor(static_cast<int>(positions - entries.begin()));
  REQUIRE(values.size() == expected.size());
  double worst = 0;
  for (size_t i = 0; i < values.size(); ++i)
    worst = std::max(worst, std::abs(double{values[i]} - expected[i]));
  CHECK(worst <= 4e-9);  // relative to 0.04: one unit in the last place
}

TEST_CASE("a gradient with twice the allowed error is detected, and so are zeros") {
  const auto expected = load_training("narrow");
  for (const auto& parameter : expected.cases.at(0).gradients) {
    INFO(parameter.first);
    const auto& truth = parameter.second;
    const double norm = norm_of(std::span<const float>(truth));
    const double least = 1e-4 * expected.cases.at(0).norm;
    auto spoiled = truth;
    spoiled[0] += static_cast<float>(2e-5 * std::max(norm, least));
    CHECK(gradient_share(spoiled, truth, expected.cases.at(0).norm) > 1);
    CHECK(gradient_share(truth, truth, expected.cases.at(0).norm) == 0);
    if (norm > least) CHECK(gradient_share(std::vector<float>(truth.size()), truth, norm) > 1);
    spoiled[0] = std::numeric_limits<float>::quiet_NaN();
    CHECK(gradient_share(spoiled, truth, expected.cases.at(0).norm) > 1);
    CHECK(gradient_share({}, truth, expected.cases.at(0).norm) > 1);
  }
}

}  // namespace bert::golden
