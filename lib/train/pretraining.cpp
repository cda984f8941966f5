#include "train/pretraining.h"

#include <cstdint>
#include <vector>

namespace bert::train {
namespace {

using Keep = model::TrainingNetwork::Keep;

const examples::PretrainExample& pretrain(const std::unique_ptr<examples::Example>& example) {
  return example->as<examples::PretrainExample>();
}

}  // namespace

Pretraining::Pretraining(model::TrainingNetwork& network, Keep keep) : Learner(network), keep_(keep) {}

Figures Pretraining::learn(const examples::Step& step, const StepPlace& place) {
  int64_t hidden = 0, labelled = 0;
  for (const auto& batch : step.batches) {
    for (const auto& example : batch) {
      hidden += static_cast<int64_t>(pretrain(example).positions.size());
      labelled += pretrain(example).next.has_value();
    }
  }
  const Weights weights = {.masked_lm = hidden == 0 ? 0 : 1 / static_cast<float>(hidden),
                           .next = labelled == 0 ? 0 : 1 / static_cast<float>(labelled)};
  network_.clear_gradients();
  Losses losses;
  nn::Chance chance = {.seed = place.seed, .step = place.step};
  for (const auto& batch : step.batches) {
    add(batch, &chance, weights, losses);
    network_.backward();
    chance.first_sequence += batch.size();
  }
  return figures(losses);
}

void Pretraining::evaluate(const examples::Examples& examples) {
  for (const auto part : evaluation_parts(examples)) add(part, nullptr, {}, losses_);
}

Figures Pretraining::end_evaluation() { return figures(losses_); }

// Either all examples of a batch have a next-sentence label or none has.
void Pretraining::add(std::span<const std::unique_ptr<examples::Example>> examples, const nn::Chance* chance,
                      const std::optional<Weights>& weights, Losses& losses) {
  nn::Batch& batch = batch_ = {};
  std::vector<int64_t> rows, wanted;  // rows of masked tokens; rows of masked tokens and of each [CLS] needed
  std::vector<int32_t> gold, next;
  for (const auto& one : examples) {
    const auto& example = pretrain(one);
    const bool first_hidden = !example.positions.empty() && example.positions.front() == 0;
    if (example.next && !first_hidden) wanted.push_back(batch.tokens());
    for (const int32_t position : example.positions) {
      rows.push_back(batch.tokens() + position);
      wanted.push_back(batch.tokens() + position);
    }
    gold.insert(gold.end(), example.gold.begin(), example.gold.end());
    if (example.next) next.push_back(*example.next);
    batch.add(example.ids, example.types);
  }
  network_.forward(batch, wanted, chance, weights ? keep_ : Keep::nothing);
  const auto weight = [&](float Weights::*which) {
    return weights ? std::optional((*weights).*which) : std::nullopt;
  };
  losses.masked_lm += network_.masked_lm(rows, gold, weight(&Weights::masked_lm));
  if (!next.empty()) losses.next += network_.next_sentence(next, weight(&Weights::next));
}

Figures Pretraining::figures(const Losses& losses) {
  Figures figures = {{"loss", losses.masked_lm.mean() + losses.next.mean()}};
  if (losses.masked_lm.count > 0) {
    figures.push_back({"mlm_loss", losses.masked_lm.mean()});
    figures.push_back({"mlm_accuracy", losses.masked_lm.accuracy()});
  }
  if (losses.next.count > 0) {
    figures.push_back({"nsp_loss", losses.next.mean()});
    figures.push_back({"nsp_accuracy", losses.next.accuracy()});
  }
  return figures;
}

}  // namespace bert::train
