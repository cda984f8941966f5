#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/parts.h"
#include "train/optimizer.h"

using namespace bert;
using train::Method;
using train::Optimizer;
using train::OptimizerConfig;

namespace {

// From the lowest level up; one of them has no weight decay.
const std::vector<std::string> kNames = {
    "embeddings.position_embeddings.weight", "encoder.layer.0.attention.self.query.weight",
    "encoder.layer.1.output.LayerNorm.weight", "encoder.layer.1.output.dense.weight",
    "cls.seq_relationship.weight"};
constexpr int kLevelsBelowHeads[] = {3, 2, 1, 1, 0};

nn::Layout layout_of(const std::vector<std::string>& names) {
  nn::Layout layout;
  for (const auto& name : names) layout.add_plain(name, {5, 20});
  return layout;
}

// Parameters after six steps with sinusoidal gradients.
nn::Params stepped(const nn::Layout& layout, const OptimizerConfig& config, double rate, int threads = 2) {
  Pool pool(threads);
  nn::Context context(pool);
  nn::Params params(layout), gradients(layout);
  const auto wave = [](nn::Params& of, double phase) {
    for (size_t place = 0; place < of.layout().entries().size(); ++place) {
      const auto numbers = of.tensor(static_cast<int>(place));
      for (size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = static_cast<float>(std::sin(phase + static_cast<double>(place + 7 * i)));
    }
  };
  wave(params, 0.5);
  Optimizer optimizer(layout, config);
  for (int t = 1; t <= 6; ++t) {
    wave(gradients, 0.7 * t);
    optimizer.step(params, gradients, rate, 0.9, context);
  }
  return params;
}

}  // namespace

// Computed with torch.optim.AdamW (PyTorch 1.13) in float64 with one parameter group of rate 1e-2·0.8^d per
// number: gradients sin(0.7t + i) in step t = 1, 2, ..., 10, weight decay 0.01.
TEST_CASE("layer decay matches PyTorch's parameter groups") {
  const std::vector<std::string> names = {kNames[0], kNames[1], kNames[3], kNames[4]};
  const float start[] = {0.5f, -0.25f, 0.02f, 1.0f};
  const double expected[] = {0.4779050599239593, -0.2635662220204381, 0.031294330822301306,
                             1.043640119226299};
  const auto layout = layout_of(names);
  Pool pool(1);
  nn::Context context(pool);
  nn::Params params(layout), gradients(layout);
  for (int i = 0; i < 4; ++i) params.tensor(i)[0] = start[i];
  Optimizer optimizer(layout, {.layer_decay = 0.8});
  for (int t = 1; t <= 10; ++t) {
    for (int i = 0; i < 4; ++i) gradients.tensor(i)[0] = static_cast<float>(std::sin(0.7 * t + i));
    optimizer.step(params, gradients, 1e-2, 1, context);
  }
  for (int i = 0; i < 4; ++i)
    CHECK_MESSAGE(std::abs(static_cast<double>(params.tensor(i)[0]) - expected[i]) < 3e-7,
                  names[static_cast<size_t>(i)]);
}

TEST_CASE("with layer decay each tensor has the same bits as when trained alone at its rate") {
  constexpr double kRate = 1e-2, kDecay = 0.75;
  const auto layout = layout_of(kNames);
  for (const Method method : {Method::adamw, Method::google, Method::lamb}) {
    const auto all = stepped(layout, {.method = method, .layer_decay = kDecay}, kRate);
    for (int i = 0; i < 5; ++i) {
      const auto own = stepped(layout, {.method = method}, kRate * std::pow(kDecay, kLevelsBelowHeads[i]));
      CHECK_MESSAGE(std::ranges::equal(all.tensor(i), own.tensor(i)), kNames[static_cast<size_t>(i)]);
    }
  }
}

TEST_CASE("frozen tensors keep their bits, and the others are trained as usual") {
  const auto layout = layout_of(kNames);
  for (const Method method : {Method::adamw, Method::google, Method::lamb}) {
    const auto start = stepped(layout, {.method = method}, 0),
               all = stepped(layout, {.method = method}, 1e-2);
    for (const int64_t layers : {0, 1, 2}) {
      const auto some = stepped(layout, {.method = method, .frozen = layers}, 1e-2);
      for (int i = 0; i < 5; ++i) {
        const auto& name = kNames[static_cast<size_t>(i)];
        const auto& expected = model::is_frozen(name, layers) ? start : all;
        CHECK_MESSAGE(std::ranges::equal(some.tensor(i), expected.tensor(i)), name, " with ", layers);
      }
    }
  }
}

TEST_CASE("a layer decay outside (0, 1] is rejected") {
  const auto layout = layout_of(kNames);
  for (const double decay : {0.0, -0.5, 1.5, std::nan("")})
    CHECK_THROWS_AS(Optimizer(layout, {.layer_decay = decay}), Error);
  CHECK_THROWS_WITH_AS(Optimizer(layout, {.layer_decay = 1.5}),
                       "the optimizer's layer decay is 1.5, must be above 0 and at most 1", Error);
}
