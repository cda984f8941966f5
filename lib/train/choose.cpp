#include "train/choose.h"

#include <string>

#include "examples/choose_example.h"
#include "model/parts.h"
#include "predict/scores.h"
#include "train/training_task.h"

namespace bert::train {

using examples::ChooseExample;

void ChooseLearning::make_batch(Part examples) {
  batch_ = {};
  groups_ = {0};
  for (const auto* example : examples) {
    for (const auto& [ids, types] : example->sequences()) batch_.add(ids, types);
    groups_.push_back(batch_.sequences());
  }
}

nn::Tensor& ChooseLearning::logits(const nn::DropoutSeed* dropout_seed, Keep keep) {
  network_.forward(batch_, model::pooled_rows(network_.config(), batch_), dropout_seed, keep);
  return network_.sequence_logits();
}

nn::Loss ChooseLearning::loss(Part examples, float weight, nn::Tensor& logits) {
  std::vector<int32_t> gold;
  for (const auto* example : examples) gold.push_back(example->as<ChooseExample>().label);
  return nn::place_loss(network_.context(), groups_, gold, weight, logits);
}

void ChooseLearning::add_predictions(Part examples, const nn::Tensor& logits) {
  for (size_t i = 0; i < examples.size(); ++i) {
    std::vector<float> numbers;
    for (int64_t row = groups_[i]; row < groups_[i + 1]; ++row) numbers.push_back(logits.row(row)[0]);
    evaluation_.labels.add(std::to_string(examples[i]->as<ChooseExample>().label),
                           std::to_string(predict::best(numbers)));
  }
}

namespace {

class ChooseTask final : public TrainingTask {
 public:
  explicit ChooseTask(const TaskInputs& inputs)
      : TrainingTask(inputs), featurizer_(tokenizer_, options_.features) {}

  std::unique_ptr<examples::ExampleReader> make_reader() const override {
    return std::make_unique<examples::ChooseReader>(featurizer_, options_.gold_field());
  }
  std::unique_ptr<Learner> make_learner(model::TrainingNetwork& network, Learner::Keep keep) const override {
    return std::make_unique<ChooseLearning>(network, keep);
  }

 private:
  const features::Featurizer featurizer_;
};

}  // namespace

std::unique_ptr<TrainingTask> make_choose_task(const TaskInputs& inputs) {
  return std::make_unique<ChooseTask>(inputs);
}

}  // namespace bert::train
