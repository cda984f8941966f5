// Fine-tuning for tag (Devlin et al. 2018, section 5.3): a classifier over the first token of each word. The
// loss is the mean cross-entropy over all words of a step, with class weights Σ w·nll / Σ w.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "examples/tag_example.h"
#include "model/training_network.h"
#include "nn/losses.h"
#include "train/learner.h"

namespace bert::train {

class TagLearning : public ClassifierLearner {
 public:
  struct Options {
    std::vector<float> class_weights;  // one for each label; empty: all 1
    float soft_share = 0;              // of the loss: soft labels, if the examples have them
    float temperature = 1;             // of soft labels
    Keep keep = Keep::activations;
  };

  // `network` must have a classifier over tokens with one output for each label. Both must outlive this
  // object.
  TagLearning(model::TrainingNetwork& network, const examples::Labels& labels, Options options);

  task::Task task() const override { return task::Task::tag; }
  void begin_evaluation() override;

 private:
  float weight_of(int32_t label) const {
    return options_.class_weights.empty() ? 1 : options_.class_weights[label];
  }
  double importance(const examples::Example& example) const override;
  std::vector<int64_t> head_rows(Part examples) const override;
  nn::Loss loss(Part examples, float weight, nn::Tensor& logits) override;
  void add_predictions(Part examples, const nn::Tensor& logits) override;
  void end_record(std::span<const std::string> tags);

  const examples::Labels& labels_;
  const Options options_;
  std::vector<std::pair<int32_t, int32_t>> predicted_;  // word, label; of a record with windows to come
};

}  // namespace bert::train
