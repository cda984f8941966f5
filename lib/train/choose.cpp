#include "train/choose.h"

#include <string>

#include "examples/choose_example.h"
#include "predict/scores.h"
#include "train/training_task.h"

namespace bert::train {
namespace {

using Keep = model::TrainingNetwork::Keep;

const examples::ChooseExample& record(const std::unique_ptr<examples::Example>& example) {
  return example->as<examples::ChooseExample>();
}

}  // namespace

ChooseLearning::ChooseLearning(model::TrainingNetwork& network, Keep keep) : Learner(network), keep_(keep) {}

Figures ChooseLearning::learn(const examples::Step& step, const StepPlace& place) {
  const float weight = 1 / static_cast<float>(step.sequences);
  network_.clear_gradients();
  nn::Loss sum;
  nn::Chance chance = {.seed = place.seed, .step = place.step};
  for (const auto& batch : step.batches) {
    nn::Tensor& gradient = logits(batch, &chance, keep_);
    sum += loss(batch, weight, gradient);
    network_.sequence_gradient(gradient);
    network_.backward();
    chance.first_sequence += static_cast<uint64_t>(batch_.sequences());
  }
  return {{"loss", sum.mean()}, {"accuracy", sum.accuracy()}};
}

nn::Tensor& ChooseLearning::logits(Part examples, const nn::Chance* chance, Keep keep) {
  batch_ = {};
  groups_ = {0};
  for (const auto& example : examples) {
    for (const auto& [ids, types] : example->sequences()) batch_.add(ids, types);
    groups_.push_back(batch_.sequences());
  }
  const auto sequences = static_cast<size_t>(batch_.sequences());
  network_.forward(batch_, std::span(batch_.offsets).first(sequences), chance, keep);
  return network_.sequence_logits();
}

nn::Loss ChooseLearning::loss(Part examples, float weight, nn::Tensor& logits) {
  std::vector<int32_t> gold;
  for (const auto& example : examples) gold.push_back(record(example).label);
  return nn::place_loss(network_.context(), groups_, gold, weight, logits);
}

void ChooseLearning::evaluate(const examples::Examples& examples) {
  for (const auto part : evaluation_parts(examples)) {
    nn::Tensor& numbers = logits(part, nullptr, Keep::nothing);
    add_predictions(part, numbers);
    evaluation_.loss += loss(part, 0, numbers);
  }
}

// Predicts like bert-predict and compares like bert-score.
void ChooseLearning::add_predictions(Part examples, const nn::Tensor& logits) {
  for (size_t i = 0; i < examples.size(); ++i) {
    std::vector<float> numbers;
    for (int64_t row = groups_[i]; row < groups_[i + 1]; ++row) numbers.push_back(logits.row(row)[0]);
    evaluation_.choices.add(std::to_string(record(examples[i]).label),
                            std::to_string(predict::best(numbers)));
  }
}

Figures ChooseLearning::end_evaluation() {
  return {{"loss", evaluation_.loss.mean()}, {"accuracy", evaluation_.choices.accuracy()}};
}

namespace {

class ChooseTask final : public TrainingTask {
 public:
  ChooseTask(const TrainingTaskOptions& options, const text::Tokenizer& tokenizer,
             const model::Config& config)
      : TrainingTask(options, config), featurizer_(tokenizer, options.features) {}

  std::vector<std::string> metrics() const override { return {"loss", "accuracy"}; }

  model::TrainingNetwork::Heads heads() const override {
    return {.masked_lm = false,
            .next = false,
            .classifier = model::TrainingNetwork::Classifier{
                .outputs = 1,
                .dropout = config_.classifier_dropout,
                .compares = model::TrainingNetwork::Classifier::Compares::rows}};
  }

  std::unique_ptr<examples::ExampleReader> make_reader() const override {
    return std::make_unique<examples::ChooseReader>(featurizer_, options_.gold_field());
  }
  std::unique_ptr<Learner> make_learner(model::TrainingNetwork& network,
                                        model::TrainingNetwork::Keep keep) const override {
    return std::make_unique<ChooseLearning>(network, keep);
  }

 private:
  const features::Featurizer featurizer_;
};

}  // namespace

std::unique_ptr<TrainingTask> make_choose_task(const TrainingTaskOptions& options,
                                               const text::Tokenizer& tokenizer,
                                               const model::Config& config) {
  return std::make_unique<ChooseTask>(options, tokenizer, config);
}

}  // namespace bert::train
