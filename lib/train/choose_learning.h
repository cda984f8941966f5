// Fine-tuning for the choice among continuations of a text (Devlin et al. 2018, section 4.4): one number for
// each, from the pooled [CLS] of its sequence, and the mean over a step's records of the cross-entropy over a
// record's choices, of which each may have its own number.
#pragma once

#include <span>
#include <vector>

#include "data/choose_example.h"
#include "metric/classification.h"
#include "model/training_network.h"
#include "nn/losses.h"
#include "train/learner.h"

namespace bert::train {

class ChooseLearning : public Learner {
 public:
  // `network` has a classifier over sequences with one output, and outlives this.
  ChooseLearning(model::TrainingNetwork& network, model::TrainingNetwork::Keep keep);

  Figures learn(const data::Step& step, const StepPlace& place) override;
  // Beside the loss, bert-score's accuracy.
  void begin_evaluation() override { evaluation_ = {}; }
  void evaluate(const data::Examples& examples) override;
  Figures end_evaluation() override;

 private:
  struct Evaluation {
    nn::Loss loss;
    metric::Classification choices;
  };

  nn::Tensor& logits(Part examples, const nn::Chance* chance, model::TrainingNetwork::Keep keep);
  // Turns logits into the gradient of weight·loss.
  nn::Loss loss(Part examples, float weight, nn::Tensor& logits);
  void add_predictions(Part examples, const nn::Tensor& logits);

  const model::TrainingNetwork::Keep keep_;
  std::vector<int64_t> groups_;  // where each record's sequences begin, and their end
  Evaluation evaluation_;
};

}  // namespace bert::train
