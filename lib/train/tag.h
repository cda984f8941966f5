// Fine-tuning for tag (Devlin et al. 2018, section 5.3): a classifier over the first token of each word. The
// loss is the mean cross-entropy over all words of a step, with class weights Σ w·nll / Σ w.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "examples/tag_example.h"
#include "metric/entities.h"
#include "model/training_network.h"
#include "nn/losses.h"
#include "train/learner.h"

namespace bert::train {

// Dev metrics other than the loss, named as in bert-score: entity metrics if all labels are O or have a
// prefix, otherwise only accuracy.
std::vector<std::string> tag_metrics(const examples::Labels& labels);

class TagLearning : public ClassifierLearner {
 public:
  struct Options {
    std::vector<float> class_weights;  // one for each label; empty: all 1
    Keep keep = Keep::activations;
  };

  // `network` must have a classifier over tokens with one output for each label. Both must outlive this
  // object.
  TagLearning(model::TrainingNetwork& network, const examples::Labels& labels, Options options);

  void begin_evaluation() override;
  Figures end_evaluation() override;

 private:
  struct Compared {
    metric::EntityScore entities;
    int64_t right = 0, words = 0;                        // without entities
    std::vector<std::pair<int32_t, int32_t>> predicted;  // word, label; of a record with windows to come
  };

  float weight_of(int32_t label) const {
    return options_.class_weights.empty() ? 1 : options_.class_weights[label];
  }
  double importance(const examples::Example& example) const override;
  void make_batch(Part examples) override;
  nn::Tensor& logits(const nn::DropoutSeed* dropout_seed, Keep keep) override;
  nn::Loss loss(Part examples, float weight, nn::Tensor& logits) override;
  void backward(const nn::Tensor& gradient) override { network_.token_gradient(rows_, gradient); }
  void add_predictions(Part examples, const nn::Tensor& logits) override;
  void end_record(std::span<const std::string> tags);

  const examples::Labels& labels_;
  const Options options_;
  const bool measures_entities_;
  std::vector<int64_t> rows_;  // rows of batch_ that the classifier reads
  Compared compared_;
};

}  // namespace bert::train
