// Pre-training (Devlin et al. 2018, section 3.1): the masked-language-model loss, a mean over all hidden
// tokens of a step, plus the next-sentence loss, a mean over its sequences, where examples carry labels.
#pragma once

#include <optional>
#include <span>

#include "data/pretrain_example.h"
#include "model/training_network.h"
#include "nn/losses.h"
#include "train/learner.h"

namespace bert::train {

class Pretraining : public Learner {
 public:
  // `network` outlives this and has a head for each label the examples carry. Its parameters are refreshed.
  Pretraining(model::TrainingNetwork& network, model::TrainingNetwork::Keep keep);

  Figures learn(const data::Step& step, const StepPlace& place) override;
  void begin_evaluation() override { losses_ = {}; }
  void evaluate(const data::Examples& examples) override;
  Figures end_evaluation() override;

 private:
  struct Losses {
    nn::Loss masked_lm, next;
  };
  // Factors of the two losses in what is gone down; none: nothing is.
  struct Weights {
    float masked_lm, next;
  };
  void add(std::span<const std::unique_ptr<data::Example>> examples, const nn::Chance* chance,
           const std::optional<Weights>& weights, Losses& losses);
  static Figures figures(const Losses& losses);

  const model::TrainingNetwork::Keep keep_;
  Losses losses_;  // of the evaluation
};

}  // namespace bert::train
