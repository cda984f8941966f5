// Fine-tuning for question answering (Devlin et al. 2018, sections 4.2 and 4.3): two logits for each token of
// a window, for the start and the end of the answer. The loss is the mean over a step's windows of (start +
// end) / 2, each the cross-entropy over all tokens of the window.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "examples/answer_example.h"
#include "metric/squad.h"
#include "model/training_network.h"
#include "nn/losses.h"
#include "predict/predictor.h"
#include "predict/spans.h"
#include "train/learner.h"

namespace bert::train {

class AnswerLearning : public Learner {
 public:
  struct Options {
    predict::AnswerOptions answer = {};  // for predictions on the dev set
    model::TrainingNetwork::Keep keep = model::TrainingNetwork::Keep::activations;
  };

  // Dev metrics other than the loss, named as in bert-score. Some sets lack some of them.
  static std::span<const std::string_view> metrics();

  // `network` must have a classifier "qa_outputs" over tokens with two outputs, and must outlive this object.
  AnswerLearning(model::TrainingNetwork& network, const Options& options);

  Figures learn(const examples::Step& step, const StepPlace& place) override;
  // Predicts like bert-predict. Windows must come in the order of their records; the windows of a record may
  // be spread over several calls.
  void begin_evaluation() override { evaluation_ = {}; }
  void evaluate(const examples::Examples& examples) override;
  Figures end_evaluation() override;

 private:
  struct Evaluation {
    nn::Loss loss;  // over starts and ends
    metric::SquadScore score = metric::SquadScore();
    std::vector<predict::SpanWindow> windows;  // of a record with more windows to come
  };

  nn::Tensor& logits(Part examples, const nn::Chance* chance, model::TrainingNetwork::Keep keep);
  // Replaces logits by the gradient of weight·loss.
  nn::Loss loss(Part examples, float weight, nn::Tensor& logits);
  void add_windows(Part examples, const nn::Tensor& logits);
  void add_answer(const examples::AnsweredText& answered);

  const Options options_;
  std::vector<int64_t> rows_;  // all tokens of the batch
  Evaluation evaluation_;
};

}  // namespace bert::train
