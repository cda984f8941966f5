#include <doctest/doctest.h>

#include "base/pool.h"
#include "model/config.h"
#include "train/optimizer.h"
#include "train/schedule.h"
#include "training_step.h"

namespace bert::golden {
namespace {

struct Kind {
  const char* name;
  train::Method method;
  train::Decay decay;
};

// Runs the steps of a curve, each split into `micro_batches`, and compares every one.
void check_curve(const Kind& kind, size_t micro_batches) {
  const auto expected = load_curve(kind.name);
  const auto records = stored_records();
  const auto batch = static_cast<size_t>(expected.batch);
  REQUIRE(expected.steps.size() == 20);
  REQUIRE(records.size() == expected.steps.size() * batch);
  REQUIRE(batch % micro_batches == 0);

  Pool pool(2);
  const auto directory = (training_directory() / "narrow").string();
  model::TrainingNetwork network(model::load_config(directory), pretraining_heads(), pool);
  REQUIRE(network.load(ckpt::Checkpoint::open(directory)).empty());
  train::Optimizer optimizer(network.parameters().layout(), {.method = kind.method,
                                                             .beta1 = expected.beta1,
                                                             .beta2 = expected.beta2,
                                                             .epsilon = expected.epsilon,
                                                             .weight_decay = expected.weight_decay});
  const train::Schedule schedule(
      {.decay = kind.decay, .peak = expected.rate, .warmup = {.steps = expected.warmup}},
      static_cast<int64_t>(expected.steps.size()));
  auto record = records.begin();
  for (size_t number = 0; number < expected.steps.size(); ++number) {
    INFO(kind.name, ", step ", number);
    const auto& want = expected.steps[number];
    TrainingStep step(micro_batches);
    for (auto& part : step)
      for (size_t i = 0; i < batch / micro_batches; ++i) part.push_back(*record++);

    network.refresh();
    const auto losses = run_step(network, step, model::TrainingNetwork::Keep::activations);
    const double norm = train::norm_of(train::square_sums(network.gradients(), network.context()));
    const double rate = schedule.rate(static_cast<int64_t>(number));
    optimizer.step(network.parameters(), network.gradients(), rate, train::clip_factor(norm, expected.clip),
                   network.context());
    CHECK(std::abs(losses.total() - want.loss) <= 1e-5);
    CHECK(std::abs(norm - want.norm) <= 1e-5 * want.norm);
    CHECK(std::abs(rate - want.rate) <= 1e-15);
  }
}

const Kind kAdamW = {.name = "adamw", .method = train::Method::adamw, .decay = train::Decay::linear};
const Kind kGoogle = {.name = "google", .method = train::Method::google, .decay = train::Decay::google};

}  // namespace

TEST_CASE("20 steps of AdamW match PyTorch's losses") {
  check_curve(kAdamW, 1);
  check_curve(kAdamW, 3);
}

TEST_CASE("20 steps with Google's optimizer and schedule match the reference's losses") {
  check_curve(kGoogle, 1);
  check_curve(kGoogle, 2);
}

}  // namespace bert::golden
