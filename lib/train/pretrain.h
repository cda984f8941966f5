// Pre-training (Devlin et al. 2018, section 3.1). The loss is the mean masked-language-model loss over a
// step's masked tokens plus, for examples with labels, the mean next-sentence loss over its sequences.
#pragma once

#include <optional>
#include <span>

#include "examples/pretrain_example.h"
#include "model/training_network.h"
#include "nn/losses.h"
#include "train/learner.h"

namespace bert::train {

class Pretraining : public Learner {
 public:
  // `network` must outlive this object and have a head for each kind of label in the examples. Its parameters
  // must be refreshed.
  Pretraining(model::TrainingNetwork& network, model::TrainingNetwork::Keep keep);

  Figures learn(const examples::Step& step, const StepPlace& place) override;
  void begin_evaluation() override { losses_ = {}; }
  void evaluate(const examples::Examples& examples) override;
  Figures end_evaluation() override;

 private:
  struct Losses {
    nn::Loss masked_lm, next;
  };
  // Factors of the two losses in the objective. Not given: compute no gradients.
  struct Weights {
    float masked_lm, next;
  };
  void add(std::span<const std::unique_ptr<examples::Example>> examples, const nn::Chance* chance,
           const std::optional<Weights>& weights, Losses& losses);
  static Figures figures(const Losses& losses);

  const model::TrainingNetwork::Keep keep_;
  Losses losses_;  // of the evaluation
};

}  // namespace bert::train
