// Fine-tuning for sentences and pairs (Devlin et al. 2018, section 4.1): a classifier over the pooled [CLS].
//
//   classify    mean cross-entropy over a step's examples, with class weights Σ w·nll / Σ w
//   regress     mean squared error
//   multilabel  mean binary cross-entropy over examples and labels
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "examples/sentence_example.h"
#include "metric/classification.h"
#include "metric/correlation.h"
#include "model/training_network.h"
#include "nn/losses.h"
#include "train/learner.h"

namespace bert::train {

class SentenceLearning : public Learner {
 public:
  struct Options {
    examples::SentenceTask task = examples::SentenceTask::classify;
    std::vector<float> class_weights;  // for classify, one for each label; empty: all 1
    double threshold = 0.5;            // minimum probability of a multilabel label on the dev set
    model::TrainingNetwork::Keep keep = model::TrainingNetwork::Keep::activations;
  };

  // `network` must have a classifier over sequences with one output for each label (regress: one). Both must
  // outlive this object.
  SentenceLearning(model::TrainingNetwork& network, const examples::Labels& labels, const Options& options);

  Figures learn(const examples::Step& step, const StepPlace& place) override;
  // Also computes bert-score's metrics for the task.
  void begin_evaluation() override { evaluation_ = {}; }
  void evaluate(const examples::Examples& examples) override;
  Figures end_evaluation() override;

 private:
  struct Evaluation {
    nn::Loss loss;
    double importance = 0;
    metric::Classification classes;
    metric::Multilabel sets;
    metric::Pearson pearson;
    metric::Spearman spearman;
  };

  double importance(Part examples) const;  // divisor that turns the sum of losses into a mean
  nn::Tensor& logits(Part examples, const nn::Chance* chance, model::TrainingNetwork::Keep keep);
  // Replaces logits by the gradient of weight·loss.
  nn::Loss loss(Part examples, float weight, nn::Tensor& logits);
  void add_predictions(Part examples, const nn::Tensor& logits);
  const std::string& name(int32_t label) const { return labels_.names()[static_cast<size_t>(label)]; }

  const examples::Labels& labels_;
  const Options options_;
  Evaluation evaluation_;
};

}  // namespace bert::train
