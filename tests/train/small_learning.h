// Shared by the tests of learning: a very small network and training steps for it.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "examples/steps.h"
#include "model/initialize.h"
#include "model/training_network.h"
#include "train/learner.h"

namespace bert::train {

// `labels`: of a classifier.
inline model::Config small_config(float dropout = 0, int64_t labels = 2) {
  model::Config config;
  config.vocab_size = 57;
  config.hidden = 32;
  config.layers = 1;
  config.heads = 2;
  config.feed_forward = 48;
  config.positions = 16;
  config.hidden_dropout = config.attention_dropout = config.classifier_dropout = dropout;
  config.init_range = 0.2f;
  config.labels.resize(static_cast<size_t>(labels));
  return config;
}

inline void start(model::TrainingNetwork& network, Pool& pool) {
  model::initialize(network.parameters(), network.config(), 3, model::PositionStart::normal, pool);
  network.refresh();
}

// Batches of `count` examples each, numbered from `first`.
template <class MakeExample>
examples::Step numbered_step(const MakeExample& example, int32_t first, int32_t count, int32_t batches = 1) {
  examples::Step step;
  uint64_t sequence = 0;
  for (int32_t i = 0; i < batches; ++i) {
    auto& batch = step.batches.emplace_back();
    for (int32_t k = 0; k < count; ++k) {
      batch.add(example(first + i * count + k), sequence);
      sequence += batch.examples.back()->sequences().size();
    }
    step.sequences += count;
  }
  return step;
}

inline double figure(const metric::Values& figures, std::string_view name) {
  for (const auto& one : figures) {
    if (one.name == name) return one.value;
  }
  FAIL("no figure ", std::string(name));
  return 0;
}

}  // namespace bert::train
