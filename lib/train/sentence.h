// Fine-tuning for sentences and pairs (Devlin et al. 2018, section 4.1): a classifier over the pooler's
// output.
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

class SentenceLearning : public ClassifierLearner {
 public:
  struct Options {
    examples::SentenceTask task = examples::SentenceTask::classify;
    std::vector<float> class_weights;  // for classify, one for each label; empty: all 1
    double threshold = 0.5;            // minimum probability of a multilabel label on the dev set
    Keep keep = Keep::activations;
  };

  // `network` must have a classifier over sequences with one output for each label (regress: one). Both must
  // outlive this object.
  SentenceLearning(model::TrainingNetwork& network, const examples::Labels& labels, const Options& options);

  // Also computes bert-score's metrics for the task.
  void begin_evaluation() override;
  Figures end_evaluation() override;

 private:
  struct Compared {
    metric::Classification classes;
    metric::Multilabel sets;
    metric::Pearson pearson;
    metric::Spearman spearman;
  };

  double importance(const examples::Example& example) const override;
  void make_batch(Part examples) override;
  nn::Tensor& logits(const nn::DropoutSeed* dropout_seed, Keep keep) override;
  nn::Loss loss(Part examples, float weight, nn::Tensor& logits) override;
  void add_predictions(Part examples, const nn::Tensor& logits) override;
  bool counts_correct() const override { return options_.task == examples::SentenceTask::classify; }
  const std::string& name(int32_t label) const { return labels_.names()[label]; }

  const examples::Labels& labels_;
  const Options options_;
  Compared compared_;
};

}  // namespace bert::train
