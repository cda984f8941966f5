// Fine-tuning for multiple choice (Devlin et al. 2018, section 4.4): one logit for each choice, from the
// pooler's output for its sequence. The loss is the mean over a step's records of the cross-entropy over a
// record's choices. Records may differ in their number of choices.
#pragma once

#include <span>
#include <vector>

#include "examples/choose_example.h"
#include "model/training_network.h"
#include "nn/losses.h"
#include "train/learner.h"

namespace bert::train {

class ChooseLearning : public ClassifierLearner {
 public:
  // `network` must have a classifier over sequences with one output, and must outlive this object.
  using ClassifierLearner::ClassifierLearner;

  task::Task task() const override { return task::Task::choose; }

 private:
  double importance(const examples::Example&) const override { return 1; }
  nn::Loss loss(Part examples, float weight, nn::Tensor& logits) override;
  void add_predictions(Part examples, const nn::Tensor& logits) override;
};

}  // namespace bert::train
