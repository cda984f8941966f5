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

// Dev metrics other than the loss, named as in bert-score: entity metrics if all labels are O, B- or I-,
// otherwise only accuracy.
std::vector<std::string> tag_metrics(const examples::Labels& labels);

class TagLearning : public Learner {
 public:
  struct Options {
    std::vector<float> class_weights;  // one for each label; empty: all 1
    model::TrainingNetwork::Keep keep = model::TrainingNetwork::Keep::activations;
  };

  // `network` must have a classifier over tokens with one output for each label. Both must outlive this
  // object.
  TagLearning(model::TrainingNetwork& network, const examples::Labels& labels, Options options);

  Figures learn(const examples::Step& step, const StepPlace& place) override;
  // The windows of a record may be spread over several calls.
  void begin_evaluation() override { evaluation_ = {}; }
  void evaluate(const examples::Examples& examples) override;
  Figures end_evaluation() override;

 private:
  struct Evaluation {
    nn::Loss loss;
    double importance = 0;
    metric::EntityScore entities;
    int64_t right = 0, words = 0;                        // without entities
    std::vector<std::pair<int32_t, int32_t>> predicted;  // word, label; of a record with windows to come
  };

  // Labels of the words, their weights unless all are 1, and the divisor that turns the sum of losses into a
  // mean.
  struct Gold {
    std::vector<int32_t> labels;
    std::vector<float> importance;
    double total = 0;
  };
  Gold gold(Part examples) const;

  nn::Tensor& logits(Part examples, const nn::Chance* chance, model::TrainingNetwork::Keep keep);
  void end_record(std::span<const std::string> tags);

  const examples::Labels& labels_;
  const Options options_;
  const bool measures_entities_;
  std::vector<int64_t> rows_;  // rows of batch_ that the classifier reads
  Evaluation evaluation_;
};

}  // namespace bert::train
