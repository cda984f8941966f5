// Fine-tuning for question answering (Devlin et al. 2018, sections 4.2 and 4.3): two logits for each token of
// a window, for the start and the end of the answer. The loss is the mean over a step's windows of (start +
// end) / 2, each the cross-entropy over all tokens of the window.
#pragma once

#include <vector>

#include "examples/answer_example.h"
#include "heads/spans.h"
#include "model/training_network.h"
#include "nn/losses.h"
#include "train/learner.h"

namespace bert::train {

class AnswerLearning : public ClassifierLearner {
 public:
  struct Options {
    heads::AnswerOptions answer = {};  // for predictions on the dev set
    Keep keep = Keep::activations;
  };

  // `network` must have a classifier "qa_outputs" over tokens with two outputs, and must outlive this object.
  AnswerLearning(model::TrainingNetwork& network, const Options& options);

  task::Task task() const override { return task::Task::answer; }
  void begin_evaluation() override;

 private:
  // One start and one end for each window.
  double importance(const examples::Example&) const override { return 2; }
  std::vector<int64_t> head_rows(Part examples) const override;
  nn::Loss loss(Part examples, float weight, nn::Tensor& logits) override;
  void add_predictions(Part examples, const nn::Tensor& logits) override;
  void add_answer(const examples::AnsweredText& answered);

  const Options options_;
  std::vector<heads::SpanWindow> windows_;  // of a record with more windows to come
};

}  // namespace bert::train
