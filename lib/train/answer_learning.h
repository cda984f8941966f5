// Fine-tuning for the part of a text that answers a question (Devlin et al. 2018, sections 4.2 and 4.3): two
// numbers for each token of a window, how likely the answer begins and ends there. The loss is the mean over
// a step's windows of (start + end) / 2, each the cross-entropy over all tokens of the window.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "data/answer_example.h"
#include "metric/squad.h"
#include "model/training_network.h"
#include "nn/losses.h"
#include "task/spans.h"
#include "task/task.h"
#include "train/learner.h"

namespace bert::train {

class AnswerLearning : public Learner {
 public:
  struct Options {
    task::AnswerOptions answer = {};  // how the dev set is answered
    model::TrainingNetwork::Keep keep = model::TrainingNetwork::Keep::activations;
  };

  // Figures of a dev set beside the loss, as bert-score names them: not of every set all.
  static std::span<const std::string_view> metrics();

  // `network` has a classifier "qa_outputs" over tokens with two outputs, and outlives this.
  AnswerLearning(model::TrainingNetwork& network, const Options& options);

  Figures learn(const data::Step& step, const StepPlace& place) override;
  // Answers as bert-predict gives them. Windows come in the order of their records, and those of a record may
  // come in several calls.
  void begin_evaluation() override { evaluation_ = {}; }
  void evaluate(const data::Examples& examples) override;
  Figures end_evaluation() override;

 private:
  struct Evaluation {
    nn::Loss loss;  // of starts and ends alike
    metric::SquadScore score = metric::SquadScore();
    std::vector<task::SpanWindow> windows;  // of a record whose last one has not come yet
  };

  nn::Tensor& logits(Part examples, const nn::Chance* chance, model::TrainingNetwork::Keep keep);
  // Turns logits into the gradient of weight·loss.
  nn::Loss loss(Part examples, float weight, nn::Tensor& logits);
  void add_windows(Part examples, const nn::Tensor& logits);
  void add_answer(const data::AnsweredText& answered);

  const Options options_;
  std::vector<int64_t> rows_;  // all of its tokens
  Evaluation evaluation_;
};

}  // namespace bert::train
