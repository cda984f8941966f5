// The network trained in a case of heads.h.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "heads.h"
#include "model/config.h"
#include "model/training_network.h"

namespace bert::golden {

// The encoder of the model `narrow` with the head of a case.
inline model::TrainingNetwork load_head_network(const HeadCase& one, Pool& pool) {
  using Classifier = model::TrainingNetwork::Classifier;
  Classifier classifier = {.outputs = one.classes};
  if (one.task == "answer") classifier.name = "qa_outputs";
  if (one.over_tokens()) classifier.over = Classifier::Over::tokens;
  if (one.task == "choose" || one.task == "answer") classifier.compares = Classifier::Compares::rows;
  const auto directory = (training_directory() / "narrow").string();
  model::TrainingNetwork network(
      model::load_config(directory),
      {.masked_lm = false, .next = false, .classifier = classifier, .weighted_layers = one.weighted}, pool);
  auto& parameters = network.parameters();
  const auto missing = network.load(ckpt::Checkpoint::open(directory));
  std::set own = {classifier.name + ".weight", classifier.name + ".bias"};
  if (one.weighted) own.insert({"layer_weights", "layer_gamma"});
  CHECK(std::set(missing.begin(), missing.end()) == own);
  const auto& entries = parameters.layout().entries();
  for (size_t place = 0; place < entries.size(); ++place) {
    const auto found = one.head.find(entries[place].name);
    if (found == one.head.end()) continue;
    const auto to = parameters.tensor(static_cast<int>(place));
    REQUIRE(to.size() == found->second.size());
    std::ranges::copy(found->second, to.begin());
  }
  network.refresh();
  return network;
}

}  // namespace bert::golden
