#include "train/sentence.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "examples/sentence_example.h"
#include "model/parts.h"
#include "predict/batches.h"
#include "predict/scores.h"
#include "train/label_set.h"
#include "train/training_task.h"

namespace bert::train {

using examples::SentenceExample, examples::SentenceTask;

SentenceLearning::SentenceLearning(model::TrainingNetwork& network, const examples::Labels& labels,
                                   const Options& options)
    : ClassifierLearner(network, options.keep), labels_(labels), options_(options) {}

void SentenceLearning::begin_evaluation() {
  evaluated_ = {};
  compared_ = {};
}

double SentenceLearning::importance(const examples::Example& example) const {
  if (options_.task == SentenceTask::multilabel) return labels_.size();
  if (options_.class_weights.empty()) return 1;
  return options_.class_weights[example.as<SentenceExample>().label];
}

void SentenceLearning::make_batch(Part examples) {
  batch_ = {};
  for (const auto* example : examples) batch_.add(example->ids, example->types);
}

nn::Tensor& SentenceLearning::logits(const nn::DropoutSeed* dropout_seed, Keep keep) {
  network_.forward(batch_, model::pooled_rows(network_.config(), batch_), dropout_seed, keep);
  return network_.sequence_logits();
}

nn::Loss SentenceLearning::loss(Part examples, float weight, nn::Tensor& logits) {
  std::vector<float> targets, importance;
  std::vector<int32_t> gold;
  for (const auto* one : examples) {
    const auto& example = one->as<SentenceExample>();
    gold.push_back(example.label);
    if (!options_.class_weights.empty()) {
      importance.push_back(options_.class_weights[example.label]);
    }
    if (options_.task == SentenceTask::regress) targets.push_back(static_cast<float>(example.value));
    if (options_.task == SentenceTask::multilabel)
      targets.insert(targets.end(), example.targets.begin(), example.targets.end());
  }
  switch (options_.task) {
    case SentenceTask::regress:
      return nn::squared_loss(targets, weight, logits);
    case SentenceTask::multilabel:
      return nn::logistic_loss(targets, weight, logits);
    case SentenceTask::classify:
      break;
  }
  return nn::softmax_loss(network_.context(), {.gold = gold, .importance = importance}, weight, logits);
}

void SentenceLearning::add_predictions(Part examples, const nn::Tensor& logits) {
  for (size_t i = 0; i < examples.size(); ++i) {
    const auto& example = examples[i]->as<SentenceExample>();
    const auto numbers = logits.values(i);
    if (options_.task == SentenceTask::classify) {
      compared_.classes.add(name(example.label), name(predict::best(numbers)));
    } else if (options_.task == SentenceTask::regress) {
      const double predicted = as_written(numbers.front());
      compared_.pearson.add(example.value, predicted);
      compared_.spearman.add(example.value, predicted);
    } else {
      std::vector<std::string_view> gold, predicted;
      for (int32_t k = 0; k < labels_.size(); ++k) {
        const size_t at = k;
        if (example.targets[at] > 0) gold.push_back(name(k));
        if (static_cast<double>(predict::sigmoid(numbers[at])) >= options_.threshold)
          predicted.push_back(name(k));
      }
      compared_.sets.add(gold, predicted);
    }
  }
}

Figures SentenceLearning::end_evaluation() {
  const auto& [classes, sets, pearson, spearman] = compared_;
  Figures figures = {{"loss", evaluated_.mean()}};
  switch (options_.task) {
    case SentenceTask::classify:
      figures.push_back({"accuracy", classes.accuracy()});
      if (labels_.size() == 2) figures.push_back({"f1", classes.f1(labels_.names().back())});
      for (const auto& [name, value] : metric::class_metrics()) figures.push_back({name, value(classes)});
      break;
    case SentenceTask::regress:
      figures.push_back({"pearson", pearson.value()});
      figures.push_back({"spearman", spearman.value()});
      break;
    case SentenceTask::multilabel:
      figures.push_back({"accuracy", sets.accuracy()});
      figures.push_back({"micro_f1", sets.micro_f1()});
      figures.push_back({"macro_f1", sets.macro_f1()});
      break;
  }
  // The correlation with a constant is undefined; skip it rather than fail.
  std::erase_if(figures, [](const Metric& figure) { return !std::isfinite(figure.value); });
  return figures;
}

namespace {

using model::ProblemType;
constexpr const char* kTextClassifier = "BertForSequenceClassification";

struct Kind {
  task::Task task;
  SentenceTask examples;
  ProblemType problem;
};

constexpr Kind kKinds[] = {{task::Task::classify, SentenceTask::classify, ProblemType::single_label},
                           {task::Task::regress, SentenceTask::regress, ProblemType::regression},
                           {task::Task::multilabel, SentenceTask::multilabel, ProblemType::multi_label}};

// Problem type of a model; if its config has none, the default of transformers.
ProblemType problem_of(const model::Config& config) {
  if (config.problem_type) return *config.problem_type;
  return config.labels.size() == 1 ? ProblemType::regression : ProblemType::single_label;
}

class SentenceTrainingTask final : public TrainingTask {
 public:
  explicit SentenceTrainingTask(const TaskInputs& inputs)
      : TrainingTask(inputs),
        kind_(*std::ranges::find(kKinds, options_.kind, &Kind::task)),
        featurizer_(tokenizer_, options_.features) {
    if (kind_.examples == SentenceTask::regress && !options_.labels.empty())
      throw Error("--labels is not for --task regress, whose labels are numbers");
  }

  void prepare(const Preparation& preparation) override {
    if (kind_.examples == SentenceTask::regress) {
      set_ = numbers();
      preparation.check(make_reader());
      return;
    }
    auto set = settle_labels(options_, config_, preparation, question());
    if (!set) return;
    set_ = *std::move(set);
    if (kind_.examples == SentenceTask::classify && set_.labels.size() < 2)
      throw Error("there is only one label, \"",
                  set_.labels.names().empty() ? "" : set_.labels.names().front(),
                  "\"; classification needs at least two");
  }

  void prepare_to_evaluate() override {
    const bool regresses = kind_.examples == SentenceTask::regress;
    set_ = regresses ? numbers() : labels_of_model(options_, config_, question());
  }

  void add_settings(Settings& settings) const override { train::add_settings(set_, settings); }

  std::vector<std::string> metrics() const override {
    switch (kind_.examples) {
      case SentenceTask::regress:
        return {"loss", "pearson", "spearman"};
      case SentenceTask::multilabel:
        return {"loss", "accuracy", "micro_f1", "macro_f1"};
      case SentenceTask::classify:
        break;
    }
    std::vector<std::string> names = {"loss", "accuracy"};
    if (set_.labels.size() == 2) names.emplace_back("f1");
    for (const auto& figure : metric::class_metrics()) names.emplace_back(figure.name);
    return names;
  }

  Heads heads() const override {
    return only({.outputs = set_.labels.size(), .dropout = config_.classifier_dropout});
  }

  void describe(model::Config& config) const override {
    config.architectures = {kTextClassifier};
    config.problem_type = kind_.problem;
    config.labels = set_.labels.names();
  }

  bool keeps_head() const override { return set_.of_model; }

  std::unique_ptr<examples::ExampleReader> make_reader() const override { return reader_of(set_.labels); }
  std::unique_ptr<Learner> make_learner(model::TrainingNetwork& network, Learner::Keep keep) const override {
    return std::make_unique<SentenceLearning>(network, set_.labels,
                                              SentenceLearning::Options{.task = kind_.examples,
                                                                        .class_weights = set_.weights,
                                                                        .threshold = options_.threshold,
                                                                        .keep = keep});
  }

 private:
  // Whether the model was trained for the same kind of labels.
  bool is_same() const {
    return config_.has_architecture(kTextClassifier) && problem_of(config_) == kind_.problem;
  }
  LabelSet numbers() const {
    return {.labels = examples::Labels({"LABEL_0"}), .weights = {}, .of_model = is_same()};
  }
  LabelQuestion question() const {
    return {.architecture = is_same() ? kTextClassifier : "",
            .field = options_.gold_field(),
            .reader_of = [this](const examples::Labels& labels) { return reader_of(labels); }};
  }
  std::unique_ptr<examples::ExampleReader> reader_of(const examples::Labels& labels) const {
    return std::make_unique<examples::SentenceReader>(kind_.examples, featurizer_, options_.gold_field(),
                                                      labels);
  }

  const Kind kind_;
  const features::Featurizer featurizer_;
  LabelSet set_;
};

}  // namespace

std::unique_ptr<TrainingTask> make_sentence_task(const TaskInputs& inputs) {
  return std::make_unique<SentenceTrainingTask>(inputs);
}

}  // namespace bert::train
