// Fine-tuning for multiple choice (Devlin et al. 2018, section 4.4): one logit for each choice, from the
// pooled [CLS] of its sequence. The loss is the mean over a step's records of the cross-entropy over a
// record's choices. Records may differ in their number of choices.
#pragma once

#include <span>
#include <vector>

#include "examples/choose_example.h"
#include "metric/classification.h"
#include "model/training_network.h"
#include "nn/losses.h"
#include "train/learner.h"

namespace bert::train {

class ChooseLearning : public Learner {
 public:
  // `network` must have a classifier over sequences with one output, and must outlive this object.
  ChooseLearning(model::TrainingNetwork& network, model::TrainingNetwork::Keep keep);

  Figures learn(const examples::Step& step, const StepPlace& place) override;
  // Also computes bert-score's accuracy.
  void begin_evaluation() override { evaluation_ = {}; }
  void evaluate(const examples::Examples& examples) override;
  Figures end_evaluation() override;

 private:
  struct Evaluation {
    nn::Loss loss;
    metric::Classification choices;
  };

  nn::Tensor& logits(Part examples, const nn::Chance* chance, model::TrainingNetwork::Keep keep);
  // Replaces logits by the gradient of weight·loss.
  nn::Loss loss(Part examples, float weight, nn::Tensor& logits);
  void add_predictions(Part examples, const nn::Tensor& logits);

  const model::TrainingNetwork::Keep keep_;
  std::vector<int64_t> groups_;  // start of each record's sequences, and the end
  Evaluation evaluation_;
};

}  // namespace bert::train
