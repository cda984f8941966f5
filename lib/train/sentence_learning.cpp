#include "train/sentence_learning.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "predict/scores.h"

namespace bert::train {
namespace {

using examples::SentenceTask;
using Keep = model::TrainingNetwork::Keep;

const examples::SentenceExample& sentence(const std::unique_ptr<examples::Example>& example) {
  return example->as<examples::SentenceExample>();
}

}  // namespace

SentenceLearning::SentenceLearning(model::TrainingNetwork& network, const examples::Labels& labels,
                                   const Options& options)
    : Learner(network), labels_(labels), options_(options) {}

double SentenceLearning::importance(Part examples) const {
  const auto count = static_cast<double>(examples.size());
  if (options_.task == SentenceTask::multilabel) return count * labels_.size();
  if (options_.class_weights.empty()) return count;
  double sum = 0;
  for (const auto& example : examples) {
    sum += options_.class_weights[static_cast<size_t>(sentence(example).label)];
  }
  return sum;
}

Figures SentenceLearning::learn(const examples::Step& step, const StepPlace& place) {
  double total = 0;
  for (const auto& batch : step.batches) total += importance(batch);
  const float weight = total > 0 ? static_cast<float>(1 / total) : 0;
  network_.clear_gradients();
  nn::Loss sum;
  nn::Chance chance = {.seed = place.seed, .step = place.step};
  for (const auto& batch : step.batches) {
    nn::Tensor& gradient = logits(batch, &chance, options_.keep);
    sum += loss(batch, weight, gradient);
    network_.sequence_gradient(gradient);
    network_.backward();
    chance.first_sequence += batch.size();
  }
  Figures figures = {{"loss", total > 0 ? sum.sum / total : 0}};
  if (options_.task == SentenceTask::classify) {
    figures.push_back({"accuracy", static_cast<double>(sum.correct) / static_cast<double>(sum.count)});
  }
  return figures;
}

nn::Tensor& SentenceLearning::logits(Part examples, const nn::Chance* chance, Keep keep) {
  batch_ = {};
  for (const auto& example : examples) batch_.add(example->ids, example->types);
  network_.forward(batch_, std::span(batch_.offsets).first(examples.size()), chance, keep);
  return network_.sequence_logits();
}

nn::Loss SentenceLearning::loss(Part examples, float weight, nn::Tensor& logits) {
  std::vector<float> targets, importance;
  std::vector<int32_t> gold;
  for (const auto& one : examples) {
    const auto& example = sentence(one);
    gold.push_back(example.label);
    if (!options_.class_weights.empty()) {
      importance.push_back(options_.class_weights[static_cast<size_t>(example.label)]);
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
  return nn::softmax_loss(network_.context(), {.gold = gold, .lengths = {}, .importance = importance}, weight,
                          logits);
}

void SentenceLearning::evaluate(const examples::Examples& examples) {
  for (const auto part : evaluation_parts(examples)) {
    nn::Tensor& numbers = logits(part, nullptr, Keep::nothing);
    add_predictions(part, numbers);
    evaluation_.loss += loss(part, 0, numbers);
    evaluation_.importance += importance(part);
  }
}

// Predicts like bert-predict and compares like bert-score.
void SentenceLearning::add_predictions(Part examples, const nn::Tensor& logits) {
  for (size_t i = 0; i < examples.size(); ++i) {
    const auto& example = sentence(examples[i]);
    const auto numbers = logits.values(static_cast<int64_t>(i));
    if (options_.task == SentenceTask::classify) {
      evaluation_.classes.add(name(example.label), name(predict::best(numbers)));
    } else if (options_.task == SentenceTask::regress) {
      const double predicted = as_written(numbers.front());
      evaluation_.pearson.add(example.value, predicted);
      evaluation_.spearman.add(example.value, predicted);
    } else {
      std::vector<std::string_view> gold, predicted;
      for (int32_t k = 0; k < labels_.size(); ++k) {
        const auto at = static_cast<size_t>(k);
        if (example.targets[at] > 0) gold.push_back(name(k));
        if (static_cast<double>(predict::sigmoid(numbers[at])) >= options_.threshold)
          predicted.push_back(name(k));
      }
      evaluation_.sets.add(gold, predicted);
    }
  }
}

Figures SentenceLearning::end_evaluation() {
  const auto& [loss, importance, classes, sets, pearson, spearman] = evaluation_;
  Figures figures = {{"loss", importance > 0 ? loss.sum / importance : 0}};
  switch (options_.task) {
    case SentenceTask::classify:
      figures.push_back({"accuracy", classes.accuracy()});
      if (labels_.size() == 2) figures.push_back({"f1", classes.f1(labels_.names().back())});
      figures.push_back({"macro_f1", classes.macro_f1()});
      figures.push_back({"matthews", classes.matthews()});
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

}  // namespace bert::train
