// Training task for classification, regression and multi-label classification of sentences and pairs (Devlin
// et al. 2018, section 4.1).
#include <optional>
#include <utility>

#include "base/error.h"
#include "examples/sentence_example.h"
#include "predict/batches.h"
#include "train/label_set.h"
#include "train/sentence_learning.h"
#include "train/training_task.h"

namespace bert::train {
namespace {

using examples::SentenceTask;
using model::ProblemType;
using model::TrainingNetwork;

constexpr const char* kArchitecture = "BertForSequenceClassification";

SentenceTask sentence_task(TaskKind kind) {
  return kind == TaskKind::regress      ? SentenceTask::regress
         : kind == TaskKind::multilabel ? SentenceTask::multilabel
                                        : SentenceTask::classify;
}

ProblemType problem_of(SentenceTask task) {
  switch (task) {
    case SentenceTask::regress:
      return ProblemType::regression;
    case SentenceTask::multilabel:
      return ProblemType::multi_label;
    case SentenceTask::classify:
      break;
  }
  return ProblemType::single_label;
}

// Problem type of a model; if its config has none, the default of transformers.
ProblemType problem_of(const model::Config& config) {
  if (config.problem_type) return *config.problem_type;
  return config.labels.size() == 1 ? ProblemType::regression : ProblemType::single_label;
}

class Task final : public TrainingTask {
 public:
  Task(const TrainingTaskOptions& options, const text::Tokenizer& tokenizer, const model::Config& config)
      : options_(options),
        config_(config),
        task_(sentence_task(options.kind)),
        featurizer_(tokenizer, options.features) {
    if (task_ == SentenceTask::regress && !options.labels.empty())
      throw Error("--labels is not for --task regress, whose labels are numbers");
  }

  void prepare(const Preview& preview) override {
    const bool same = config_.has_architecture(kArchitecture) && problem_of(config_) == problem_of(task_);
    if (task_ == SentenceTask::regress) {
      set_ = {.names = {"LABEL_0"}, .weights = {}, .of_model = same};
    } else {
      set_ = settle_labels(options_, config_, preview,
                           {.architecture = same ? kArchitecture : "",
                            .of_record = [this](const io::Fields& fields) { return labels_of(fields); },
                            .field = label_field()});
    }
    if (task_ == SentenceTask::classify && set_.names.size() < 2)
      throw Error("there is only one label, \"", set_.names.empty() ? "" : set_.names.front(),
                  "\"; classification needs at least two");
    labels_.emplace(set_.names);
  }

  void add_settings(Settings& settings) const override { train::add_settings(set_, settings); }

  std::vector<std::string> metrics() const override {
    switch (task_) {
      case SentenceTask::regress:
        return {"loss", "pearson", "spearman"};
      case SentenceTask::multilabel:
        return {"loss", "accuracy", "micro_f1", "macro_f1"};
      case SentenceTask::classify:
        break;
    }
    if (set_.names.size() == 2) return {"loss", "accuracy", "f1", "macro_f1", "matthews"};
    return {"loss", "accuracy", "macro_f1", "matthews"};
  }

  TrainingNetwork::Heads heads() const override {
    return {.masked_lm = false,
            .next = false,
            .classifier = TrainingNetwork::Classifier{.outputs = static_cast<int64_t>(set_.names.size()),
                                                      .dropout = config_.classifier_dropout}};
  }

  void settle(model::Config& config) const override {
    config.architectures = {kArchitecture};
    config.problem_type = problem_of(task_);
    config.labels = set_.names;
  }

  bool keeps_head() const override { return set_.of_model; }

  std::unique_ptr<examples::ExampleReader> make_reader() const override {
    return std::make_unique<examples::SentenceReader>(task_, featurizer_, label_field(), *labels_);
  }
  std::unique_ptr<examples::ExampleReader> make_dev_reader(const std::string&) const override {
    return make_reader();
  }
  std::unique_ptr<Learner> make_learner(TrainingNetwork& network, TrainingNetwork::Keep keep) const override {
    return std::make_unique<SentenceLearning>(
        network, *labels_,
        SentenceLearning::Options{
            .task = task_, .class_weights = set_.weights, .threshold = options_.threshold, .keep = keep});
  }

 private:
  std::string label_field() const { return options_.label_field.value_or("label"); }
  std::vector<std::string> labels_of(const io::Fields& fields) const {
    if (task_ == SentenceTask::multilabel) return examples::labels_of(fields, label_field());
    return {examples::label_of(fields, label_field())};
  }

  const TrainingTaskOptions options_;
  const model::Config& config_;
  const SentenceTask task_;
  const features::Featurizer featurizer_;
  LabelSet set_;
  std::optional<examples::Labels> labels_;
};

}  // namespace

std::unique_ptr<TrainingTask> make_sentence_task(const TrainingTaskOptions& options,
                                                 const text::Tokenizer& tokenizer,
                                                 const model::Config& config) {
  return std::make_unique<Task>(options, tokenizer, config);
}

}  // namespace bert::train
