#include "train/answer.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "base/error.h"
#include "base/option.h"
#include "examples/answer_example.h"
#include "heads/scores.h"
#include "train/training_task.h"

namespace bert::train {

using examples::AnswerExample;

AnswerLearning::AnswerLearning(model::TrainingNetwork& network, const Options& options)
    : ClassifierLearner(network, options.keep), options_(options) {}

void AnswerLearning::begin_evaluation() {
  ClassifierLearner::begin_evaluation();
  windows_.clear();
}

std::vector<int64_t> AnswerLearning::head_rows(Part) const {
  std::vector<int64_t> rows(batch_.tokens());
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

nn::Loss AnswerLearning::loss(Part examples, float weight, nn::Tensor& logits) {
  std::vector<int32_t> gold;
  for (const auto* example : examples) {
    gold.push_back(example->as<AnswerExample>().start);
    gold.push_back(example->as<AnswerExample>().end);
  }
  return nn::place_loss(network_.context(), batch_.offsets, gold, weight, logits);
}

void AnswerLearning::add_predictions(Part examples, const nn::Tensor& logits) {
  int64_t row = 0;
  for (const auto* one : examples) {
    const auto& example = one->as<AnswerExample>();
    heads::SpanWindow numbers = {
        .starts = {}, .ends = {}, .text_begin = example.text_begin, .text = example.text};
    for (const int64_t end = row + example.tokens(); row < end; ++row) {
      numbers.starts.push_back(logits.row(row)[0]);
      numbers.ends.push_back(logits.row(row)[1]);
    }
    windows_.push_back(std::move(numbers));
    if (!example.last) continue;
    try {
      add_answer(*example.answered);
    } catch (const Error& error) {
      throw Error(example.where, ": ", error.what());
    }
    windows_.clear();
  }
}

void AnswerLearning::add_answer(const examples::AnsweredText& answered) {
  const auto& rule = options_.answer;
  const auto best = heads::best_spans(windows_, answered.context, answered.offsets, heads::span_rule(rule));
  const auto answer = heads::answer_of(best, rule.no_answer_threshold);
  const std::vector<std::string_view> gold(answered.answers.begin(), answered.answers.end());
  auto scores = metric::score_answer(gold, answer.text);
  scores.null_score = heads::as_written(heads::null_score_of(best));
  evaluation_.answers.add(scores);
}

namespace {

class AnswerTask final : public TrainingTask {
 public:
  explicit AnswerTask(const TaskInputs& inputs)
      : TrainingTask(inputs), rule_(heads::window_rule(options_.answer, options_.features.max_length)) {
    features::require_room(tokenizer_, rule_);
  }

  void add_settings(Settings& settings) const override {
    settings.emplace_back(opt::stride, setting(rule_.stride));
    settings.emplace_back(opt::max_question_length, setting(rule_.max_question_length));
  }

  bool makes_windows() const override { return true; }

  std::unique_ptr<examples::ExampleReader> make_reader() const override {
    return std::make_unique<examples::AnswerReader>(tokenizer_, rule_, examples::AnswerReader::For::learning);
  }
  std::unique_ptr<examples::ExampleReader> make_dev_reader(const std::string&) const override {
    return std::make_unique<examples::AnswerReader>(tokenizer_, rule_,
                                                    examples::AnswerReader::For::evaluation);
  }
  std::unique_ptr<Learner> make_learner(model::TrainingNetwork& network, Learner::Keep keep) const override {
    return std::make_unique<AnswerLearning>(network,
                                            AnswerLearning::Options{.answer = options_.answer, .keep = keep});
  }

 private:
  const features::AnswerRule rule_;
};

}  // namespace

std::unique_ptr<TrainingTask> make_answer_task(const TaskInputs& inputs) {
  return std::make_unique<AnswerTask>(inputs);
}

}  // namespace bert::train
