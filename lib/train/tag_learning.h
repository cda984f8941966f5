// Fine-tuning for words (Devlin et al. 2018, section 5.3): a classifier over the first token of each word,
// whose mean cross-entropy over all words of a step goes down, with class weights Σ w·nll / Σ w.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/tag_example.h"
#include "metric/entities.h"
#include "model/training_network.h"
#include "nn/losses.h"
#include "train/learner.h"

namespace bert::train {

// Names of what TagLearning measures beside the loss, by bert-score's names: entities where all labels are O,
// B- or I-, else the accuracy alone.
std::vector<std::string> tag_metrics(const data::Labels& labels);

class TagLearning : public Learner {
 public:
  struct Options {
    std::vector<float> class_weights;  // one a label; empty: all 1
    model::TrainingNetwork::Keep keep = model::TrainingNetwork::Keep::activations;
  };

  // `network` has a classifier over tokens with an output for each label. Both outlive this.
  TagLearning(model::TrainingNetwork& network, const data::Labels& labels, Options options);

  Figures learn(const data::Step& step, const StepPlace& place) override;
  // The windows of a record may come in several parts.
  void begin_evaluation() override { evaluation_ = {}; }
  void evaluate(const data::Examples& examples) override;
  Figures end_evaluation() override;

 private:
  struct Evaluation {
    nn::Loss loss;
    double importance = 0;
    metric::EntityScore entities;
    int64_t right = 0, words = 0;
    std::vector<std::pair<int32_t, int32_t>> said;  // word and label, of the record whose windows still come
  };

  // Of the words, importance for each unless all are 1, and what the sum of losses is divided by for a mean.
  struct Gold {
    std::vector<int32_t> labels;
    std::vector<float> importance;
    double total = 0;
  };
  Gold gold(Part examples) const;

  nn::Tensor& logits(Part examples, const nn::Chance* chance, model::TrainingNetwork::Keep keep);
  void end_record(std::span<const std::string> tags);

  const data::Labels& labels_;
  const Options options_;
  const bool measures_entities_;
  std::vector<int64_t> rows_;  // of batch_, that the classifier reads
  Evaluation evaluation_;
};

}  // namespace bert::train
