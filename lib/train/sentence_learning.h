// Fine-tuning for sentences and pairs (Devlin et al. 2018, section 4.1): a classifier over the pooled [CLS].
//
//   classify    mean cross-entropy over a step's examples, with class weights Σ w·nll / Σ w
//   regress     mean squared error
//   multilabel  mean binary cross-entropy over examples and labels
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "data/sentence_example.h"
#include "metric/classification.h"
#include "metric/correlation.h"
#include "model/training_network.h"
#include "nn/losses.h"
#include "train/learner.h"

namespace bert::train {

class SentenceLearning : public Learner {
 public:
  struct Options {
    data::SentenceTask task = data::SentenceTask::classify;
    std::vector<float> class_weights;  // of classify, one a label; empty: all 1
    double threshold = 0.5;            // probability from which multilabel takes a label on the dev set
    model::TrainingNetwork::Keep keep = model::TrainingNetwork::Keep::activations;
  };

  // `network` has a classifier over sequences with an output for each label (regress: one). Both outlive
  // this.
  SentenceLearning(model::TrainingNetwork& network, const data::Labels& labels, const Options& options);

  Figures learn(const data::Step& step, const StepPlace& place) override;
  // Beside the loss, the metrics of bert-score for the task.
  void begin_evaluation() override { evaluation_ = {}; }
  void evaluate(const data::Examples& examples) override;
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

  double importance(Part examples) const;  // what the sum of losses is divided by for a mean
  nn::Tensor& logits(Part examples, const nn::Chance* chance, model::TrainingNetwork::Keep keep);
  // Turns logits into the gradient of weight·loss.
  nn::Loss loss(Part examples, float weight, nn::Tensor& logits);
  void add_predictions(Part examples, const nn::Tensor& logits);
  const std::string& name(int32_t label) const { return labels_.names()[static_cast<size_t>(label)]; }

  const data::Labels& labels_;
  const Options options_;
  Evaluation evaluation_;
};

}  // namespace bert::train
