// Training task for question answering (Devlin et al. 2018, sections 4.2 and 4.3).
#include "examples/answer_example.h"
#include "train/answer_learning.h"
#include "train/training_task.h"

namespace bert::train {
namespace {

using model::TrainingNetwork;

constexpr const char* kArchitecture = "BertForQuestionAnswering";

class AnswerTask final : public TrainingTask {
 public:
  AnswerTask(const TrainingTaskOptions& options, const text::Tokenizer& tokenizer,
             const model::Config& config)
      : answer_(options.answer),
        tokenizer_(tokenizer),
        config_(config),
        rule_(predict::window_rule(options.answer, options.features.max_length.value())) {
    features::require_room(rule_);
  }

  void prepare(const Preview&) override {}

  void add_settings(Settings& settings) const override {
    settings.emplace_back("--stride", setting(rule_.stride));
    settings.emplace_back("--max-question-length", setting(rule_.max_question_length));
  }

  std::vector<std::string> metrics() const override {
    std::vector<std::string> names = {"loss"};
    for (const auto name : AnswerLearning::metrics()) {
      if (!name.ends_with("threshold")) names.emplace_back(name);
    }
    return names;
  }

  // No dropout before the classifier, as in run_squad.py.
  TrainingNetwork::Heads heads() const override {
    return {
        .masked_lm = false,
        .next = false,
        .classifier = TrainingNetwork::Classifier{.name = "qa_outputs",
                                                  .outputs = 2,
                                                  .over = TrainingNetwork::Classifier::Over::tokens,
                                                  .compares = TrainingNetwork::Classifier::Compares::rows}};
  }

  void settle(model::Config& config) const override {
    config.architectures = {kArchitecture};
    config.problem_type = {};
    config.labels = model::Config().labels;
  }

  bool keeps_head() const override { return config_.has_architecture(kArchitecture); }
  bool makes_windows() const override { return true; }

  std::unique_ptr<examples::ExampleReader> make_reader() const override {
    return std::make_unique<examples::AnswerReader>(tokenizer_, rule_, examples::AnswerReader::For::learning);
  }
  std::unique_ptr<examples::ExampleReader> make_dev_reader(const std::string&) const override {
    return std::make_unique<examples::AnswerReader>(tokenizer_, rule_,
                                                    examples::AnswerReader::For::evaluation);
  }
  std::unique_ptr<Learner> make_learner(TrainingNetwork& network, TrainingNetwork::Keep keep) const override {
    return std::make_unique<AnswerLearning>(network,
                                            AnswerLearning::Options{.answer = answer_, .keep = keep});
  }

 private:
  const predict::AnswerOptions answer_;
  const text::Tokenizer& tokenizer_;
  const model::Config& config_;
  const features::AnswerRule rule_;
};

}  // namespace

std::unique_ptr<TrainingTask> make_answer_task(const TrainingTaskOptions& options,
                                               const text::Tokenizer& tokenizer,
                                               const model::Config& config) {
  return std::make_unique<AnswerTask>(options, tokenizer, config);
}

}  // namespace bert::train
