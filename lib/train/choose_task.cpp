// Training task for multiple choice (Devlin et al. 2018, section 4.4).
#include "examples/choose_example.h"
#include "train/choose_learning.h"
#include "train/training_task.h"

namespace bert::train {
namespace {

using model::TrainingNetwork;

constexpr const char* kArchitecture = "BertForMultipleChoice";

class ChooseTask final : public TrainingTask {
 public:
  ChooseTask(const TrainingTaskOptions& options, const text::Tokenizer& tokenizer,
             const model::Config& config)
      : label_field_(options.label_field.value_or("label")),
        config_(config),
        featurizer_(tokenizer, options.features) {}

  void prepare(const Preview&) override {}
  void add_settings(Settings&) const override {}
  std::vector<std::string> metrics() const override { return {"loss", "accuracy"}; }

  TrainingNetwork::Heads heads() const override {
    return {
        .masked_lm = false,
        .next = false,
        .classifier = TrainingNetwork::Classifier{.outputs = 1,
                                                  .dropout = config_.classifier_dropout,
                                                  .compares = TrainingNetwork::Classifier::Compares::rows}};
  }

  void settle(model::Config& config) const override {
    config.architectures = {kArchitecture};
    config.problem_type = {};
    config.labels = model::Config().labels;
  }

  bool keeps_head() const override { return config_.has_architecture(kArchitecture); }

  std::unique_ptr<examples::ExampleReader> make_reader() const override {
    return std::make_unique<examples::ChooseReader>(featurizer_, label_field_);
  }
  std::unique_ptr<examples::ExampleReader> make_dev_reader(const std::string&) const override {
    return make_reader();
  }
  std::unique_ptr<Learner> make_learner(TrainingNetwork& network, TrainingNetwork::Keep keep) const override {
    return std::make_unique<ChooseLearning>(network, keep);
  }

 private:
  const std::string label_field_;
  const model::Config& config_;
  const features::Featurizer featurizer_;
};

}  // namespace

std::unique_ptr<TrainingTask> make_choose_task(const TrainingTaskOptions& options,
                                               const text::Tokenizer& tokenizer,
                                               const model::Config& config) {
  return std::make_unique<ChooseTask>(options, tokenizer, config);
}

}  // namespace bert::train
