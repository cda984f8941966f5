#include "train/sentence.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/option.h"
#include "examples/sentence_example.h"
#include "heads/scores.h"
#include "json/json.h"
#include "metric/classification.h"
#include "nn/losses.h"
#include "nn/soft_losses.h"
#include "train/label_set.h"
#include "train/label_watch.h"
#include "train/training_task.h"

namespace bert::train {
namespace {

using examples::SentenceExample;
using model::ProblemType;

// Compares the prediction of these logits with the gold labels.
using Compare = void(const SentenceExample& example, std::span<const float> logits,
                     const examples::Labels& labels, double threshold, metric::Evaluation& evaluation);

void compare_class(const SentenceExample& example, std::span<const float> logits,
                   const examples::Labels& labels, double, metric::Evaluation& evaluation) {
  evaluation.labels.add(labels.names()[example.label], labels.names()[heads::best(logits)]);
}

void compare_value(const SentenceExample& example, std::span<const float> logits, const examples::Labels&,
                   double, metric::Evaluation& evaluation) {
  evaluation.numbers.add(example.value, heads::as_written(logits.front()));
}

void compare_label_set(const SentenceExample& example, std::span<const float> logits,
                       const examples::Labels& labels, double threshold, metric::Evaluation& evaluation) {
  std::vector<std::string_view> gold, predicted;
  for (size_t k = 0; k < logits.size(); ++k) {
    const auto& label = labels.names()[k];
    if (example.targets[k] > 0) gold.push_back(label);
    if (heads::as_written(heads::sigmoid(logits[k])) >= threshold) predicted.push_back(label);
  }
  evaluation.label_sets.add(gold, predicted);
}

// The label whose F1 is computed; "": none.
std::string positive_of(task::Task task, const examples::Labels& labels) {
  return task == task::Task::classify && labels.size() == 2 ? labels.names().back() : "";
}

class SentenceLearning : public ClassifierLearner {
 public:
  SentenceLearning(model::TrainingNetwork& network, const examples::Labels& labels,
                   const SentenceOptions& options)
      : ClassifierLearner(network, options.keep), labels_(labels), options_(options) {}

 protected:
  virtual Compare& comparison() const = 0;
  // The soft labels of all examples; empty if they have none, as in a dev set.
  static std::vector<float> soft_labels(Part examples) {
    std::vector<float> all;
    for (const auto* example : examples) {
      const auto& soft = example->as<SentenceExample>().soft;
      all.insert(all.end(), soft.begin(), soft.end());
    }
    return all;
  }
  nn::SoftTargets targets_of(std::span<const float> soft) const {
    return {.probabilities = soft, .share = options_.soft_share, .temperature = options_.temperature};
  }

  const examples::Labels& labels_;
  const SentenceOptions options_;

 private:
  double importance(const examples::Example&) const override { return 1; }
  void add_predictions(Part examples, const nn::Tensor& logits) final {
    for (size_t i = 0; i < examples.size(); ++i)
      comparison()(examples[i]->as<SentenceExample>(), logits.values(i), labels_, options_.threshold,
                   evaluation_);
  }
};

class ClassLearning final : public SentenceLearning {
 public:
  using SentenceLearning::SentenceLearning;

  task::Task task() const override { return task::Task::classify; }
  void begin_evaluation() override {
    ClassifierLearner::begin_evaluation();
    evaluation_.positive = positive_of(task(), labels_);
  }

 private:
  float weight_of(const examples::Example& example) const {
    if (options_.class_weights.empty()) return 1;
    return options_.class_weights[example.as<SentenceExample>().label];
  }
  double importance(const examples::Example& example) const override { return weight_of(example); }
  nn::Loss loss(Part examples, float weight, nn::Tensor& logits) override {
    std::vector<int32_t> gold;
    std::vector<float> weights;
    for (const auto* example : examples) {
      gold.push_back(example->as<SentenceExample>().label);
      if (!options_.class_weights.empty()) weights.push_back(weight_of(*example));
    }
    const nn::SoftmaxRows rows = {.gold = gold, .importance = weights};
    const auto soft = soft_labels(examples);
    if (soft.empty()) return nn::softmax_loss(network_.context(), rows, weight, logits);
    return nn::soft_softmax_loss(network_.context(), rows, targets_of(soft), weight, logits);
  }
  Compare& comparison() const override { return compare_class; }
};

class NumberLearning final : public SentenceLearning {
 public:
  using SentenceLearning::SentenceLearning;

  task::Task task() const override { return task::Task::regress; }

 private:
  nn::Loss loss(Part examples, float weight, nn::Tensor& logits) override {
    std::vector<float> targets;
    for (const auto* example : examples)
      targets.push_back(static_cast<float>(example->as<SentenceExample>().value));
    const auto soft = soft_labels(examples);
    if (soft.empty()) return nn::squared_loss(targets, weight, logits);
    return mixed_loss(targets, soft, weight, logits);
  }
  // S (y - soft)² + (1 - S) (y - target)²
  nn::Loss mixed_loss(std::span<const float> targets, std::span<const float> soft, float weight,
                      nn::Tensor& logits) const {
    const float share = options_.soft_share;
    nn::Tensor again(logits.rows(), logits.cols());
    for (int64_t row = 0; row < logits.rows(); ++row) again.row(row)[0] = logits.row(row)[0];
    auto loss = nn::squared_loss(targets, weight * (1 - share), logits);
    const auto of_soft = nn::squared_loss(soft, weight * share, again);
    loss.sum = share * of_soft.sum + (1 - share) * loss.sum;
    for (int64_t row = 0; row < logits.rows(); ++row) logits.row(row)[0] += again.row(row)[0];
    return loss;
  }
  Compare& comparison() const override { return compare_value; }
};

class LabelSetLearning final : public SentenceLearning {
 public:
  using SentenceLearning::SentenceLearning;

  task::Task task() const override { return task::Task::multilabel; }

 private:
  double importance(const examples::Example&) const override { return labels_.size(); }
  nn::Loss loss(Part examples, float weight, nn::Tensor& logits) override {
    std::vector<float> targets;
    for (const auto* example : examples) {
      const auto& of_example = example->as<SentenceExample>().targets;
      targets.insert(targets.end(), of_example.begin(), of_example.end());
    }
    const auto soft = soft_labels(examples);
    if (soft.empty()) return nn::logistic_loss(targets, weight, logits);
    return nn::soft_logistic_loss(targets, targets_of(soft), weight, logits);
  }
  Compare& comparison() const override { return compare_label_set; }
};

template <class Learning>
std::unique_ptr<Learner> make(model::TrainingNetwork& network, const examples::Labels& labels,
                              const SentenceOptions& options) {
  return std::make_unique<Learning>(network, labels, options);
}

// What differs between the tasks, besides their learners.
struct SentenceKind {
  task::Task task;
  ProblemType problem;
  examples::ReadLabel* read_label;
  std::unique_ptr<Learner> (*make_learner)(model::TrainingNetwork&, const examples::Labels&,
                                           const SentenceOptions&);
  OutputLoss loss;  // of a baseline
  Compare* compare;
  std::vector<float> (*target)(const SentenceExample&);
  bool has_labels = true;  // otherwise numbers
};

constexpr SentenceKind kKinds[] = {
    {task::Task::classify, ProblemType::single_label, examples::read_class, make<ClassLearning>,
     OutputLoss::softmax, compare_class,
     [](const SentenceExample& example) { return std::vector{static_cast<float>(example.label)}; }},
    {task::Task::regress, ProblemType::regression, examples::read_value, make<NumberLearning>,
     OutputLoss::squared, compare_value,
     [](const SentenceExample& example) { return std::vector{static_cast<float>(example.value)}; }, false},
    {task::Task::multilabel, ProblemType::multi_label, examples::read_label_set, make<LabelSetLearning>,
     OutputLoss::logistic, compare_label_set, [](const SentenceExample& example) { return example.targets; }},
};

const SentenceKind& kind_of(task::Task task) { return *std::ranges::find(kKinds, task, &SentenceKind::task); }

// Problem type of a model; if its config has none, the default of transformers.
ProblemType problem_of(const model::Config& config) {
  if (config.problem_type) return *config.problem_type;
  return config.labels.size() == 1 ? ProblemType::regression : ProblemType::single_label;
}

std::string number_in(const io::Fields&, const examples::Example& example) {
  return setting(example.as<SentenceExample>().value);
}

// As a set.
std::string joined_labels(std::vector<std::string> labels) {
  std::ranges::sort(labels);
  std::string joined;
  for (const auto& label : labels) joined += (joined.empty() ? "" : ", ") + json::in_quotes(label);
  return joined;
}

class SentenceTrainingTask final : public TrainingTask {
 public:
  explicit SentenceTrainingTask(const TaskInputs& inputs)
      : TrainingTask(inputs), kind_(kind_of(options_.kind)), featurizer_(tokenizer_, options_.features) {
    if (!kind_.has_labels && !options_.labels.empty())
      throw Error(opt::labels, " is not for ", opt::task, " regress, whose labels are numbers");
  }

  void prepare(const Preparation& preparation) override {
    LabelWatch watch;
    if (!kind_.has_labels) {
      set_ = numbers();
      if (preparation.check(watch.watched(make_reader(), number_in))) warn_of_one(watch, preparation);
      return;
    }
    auto asked = question();
    examples::LabelRange sums;
    asked.reader_of = [&](const examples::Labels& labels) { return reader_of(labels, soft_labels(), &sums); };
    if (options_.kind == task::Task::multilabel && soft_labels() != examples::SoftLabels::alone)
      asked.reader_of = [&](const examples::Labels& labels) {
        return watch.watched(reader_of(labels, soft_labels(), &sums),
                             [this](const io::Fields& fields, const examples::Example&) {
                               return joined_labels(fields.labels(options_.gold_field()));
                             });
      };
    auto set = settle_labels(options_, config_, preparation, asked);
    if (!set) return;
    set_ = *std::move(set);
    if (options_.kind == task::Task::classify && set_.labels.size() < 2)
      throw Error("there is only one label, \"",
                  set_.labels.names().empty() ? "" : set_.labels.names().front(),
                  "\"; classification needs at least two");
    if (set_.labels.size() == 0) throw Error("no record has a label");
    const bool multilabel = options_.kind == task::Task::multilabel;
    if (multilabel) warn_of_one(watch, preparation);
    warn_of_sums(sums, preparation);
    if (!options_.labels.empty() || set_.of_model) return;
    const auto& names = set_.labels.names();
    if (const auto note = multilabel ? metric::list_note(names) : metric::brackets_note(names); !note.empty())
      preparation.log.warn(note);
  }

  void prepare_to_evaluate() override {
    set_ = kind_.has_labels ? labels_of_model(options_, config_, question()) : numbers();
  }

  void add_settings(Settings& settings) const override {
    train::add_settings(set_, settings);
    add_soft_labels(options_, settings);
  }

  bool has(metric::Needs needs) const override {
    return needs != metric::Needs::positive_label || set_.labels.size() == 2;
  }

  void describe(model::Config& config) const override {
    TrainingTask::describe(config);
    config.problem_type = kind_.problem;
    config.labels = set_.labels.names();
  }

  bool keeps_head() const override { return set_.of_model; }

  std::unique_ptr<examples::ExampleReader> make_reader() const override { return reader_of(set_.labels); }
  std::unique_ptr<examples::ExampleReader> make_dev_reader(const std::string&) const override {
    return reader_of(set_.labels, examples::SoftLabels::none);
  }
  std::unique_ptr<Learner> make_learner(model::TrainingNetwork& network, Learner::Keep keep) const override {
    return kind_.make_learner(network, set_.labels,
                              {.class_weights = set_.weights,
                               .soft_share = options_.soft_labels.value_or(0),
                               .temperature = options_.temperature,
                               .threshold = options_.threshold,
                               .keep = keep});
  }

  std::vector<Baseline> baselines(const examples::RecordSource& train,
                                  const examples::RecordSource& dev) const override {
    const auto reader = reader_of(set_.labels, examples::SoftLabels::none);
    const BaselineTask task = {
        .task = options_.kind,
        .loss = kind_.loss,
        .outputs = set_.labels.size(),
        .positive = positive_of(options_.kind, set_.labels),
        .target = kind_.target,
        .compare = [this](const SentenceExample& example, std::span<const float> logits,
                          metric::Evaluation& evaluation) {
          kind_.compare(example, logits, set_.labels, options_.threshold, evaluation);
        }};
    return train::baselines(task, {train, *reader}, {dev, *reader}, tokenizer_);
  }

 private:
  // The records of a pipe are not all known.
  void warn_of_one(const LabelWatch& watch, const Preparation& preparation) const {
    const auto label = watch.only_label(preparation.ranks);
    if (!label || label->empty() || preparation.source.records() == 0) return;
    preparation.log.warn("every record has the same " +
                         std::string(kind_.has_labels ? "labels: " : "label, ") + *label);
  }

  // Only the probabilities of classes add up to 1.
  void warn_of_sums(const examples::LabelRange& sums, const Preparation& preparation) const {
    constexpr double kRounding = 0.05;
    const auto [least, most] = range_of_all(sums, preparation.ranks);
    const bool ones = least >= 1 - kRounding && most <= 1 + kRounding;
    if (least > most || ones != (options_.kind == task::Task::multilabel) || set_.labels.size() < 2) return;
    preparation.log.warn(
        ones ? "the scores of every record add up to 1: was the teacher trained with " + opt::task +
                   " classify?"
             : "the scores of some records do not add up to 1: was the teacher trained with " + opt::task +
                   " multilabel?");
  }

  // Whether the model was trained for the same kind of labels.
  bool is_same() const {
    return config_.has_architecture(architecture()) && problem_of(config_) == kind_.problem;
  }
  LabelSet numbers() const {
    return {.labels = examples::Labels({"LABEL_0"}), .weights = {}, .of_model = is_same()};
  }
  LabelQuestion question() const {
    return {.architecture = is_same() ? architecture() : "",
            .field = options_.gold_field(),
            .reader_of = [this](const examples::Labels& labels) { return reader_of(labels); }};
  }
  examples::SoftLabels soft_labels() const { return soft_labels_of(options_); }
  std::unique_ptr<examples::ExampleReader> reader_of(const examples::Labels& labels) const {
    return reader_of(labels, soft_labels());
  }
  std::unique_ptr<examples::ExampleReader> reader_of(const examples::Labels& labels,
                                                     examples::SoftLabels soft,
                                                     examples::LabelRange* sums = nullptr) const {
    return std::make_unique<examples::SentenceReader>(kind_.read_label, featurizer_, options_.gold_field(),
                                                      labels, soft, sums);
  }

  const SentenceKind& kind_;
  const features::Featurizer featurizer_;
  LabelSet set_;
};

}  // namespace

std::unique_ptr<Learner> make_sentence_learner(task::Task task, model::TrainingNetwork& network,
                                               const examples::Labels& labels,
                                               const SentenceOptions& options) {
  return kind_of(task).make_learner(network, labels, options);
}

std::unique_ptr<TrainingTask> make_sentence_task(const TaskInputs& inputs) {
  return std::make_unique<SentenceTrainingTask>(inputs);
}

}  // namespace bert::train
