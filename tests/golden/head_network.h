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
  const auto directory = (training_directory() / "narrow").string();
  auto config = model::load_config(directory);
  config.labels.resize(static_cast<size_t>(one.classes));
  config.classifier_dropout = 0;
  config.weighted_layers = one.weighted;
  const auto all = task::tasks_with(&task::Entry::trained);
  const auto task = std::ranges::find(all, one.task, task::name_of);
  REQUIRE(task != all.end());
  const auto* head = model::head_of(*task);
  REQUIRE(model::outputs_of(*head, config) == one.classes);
  model::TrainingNetwork network(config, {head}, pool);
  auto& parameters = network.parameters();
  const auto missing = network.load(ckpt::Checkpoint::open(directory));
  const std::string tensors(head->tensors(*config.type));
  std::set own = {tensors + ".weight", tensors + ".bias"};
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
