#include "train/choose.h"

#include <string>

#include "examples/choose_example.h"
#include "heads/scores.h"
#include "train/training_task.h"

namespace bert::train {

using examples::ChooseExample;

namespace {

// Where the choices of each record begin, and their end.
std::vector<int64_t> groups_of(std::span<const examples::Example* const> examples) {
  std::vector<int64_t> groups = {0};
  for (const auto* example : examples) groups.push_back(groups.back() + std::ssize(example->sequences()));
  return groups;
}

}  // namespace

nn::Loss ChooseLearning::loss(Part examples, float weight, nn::Tensor& logits) {
  std::vector<int32_t> gold;
  for (const auto* example : examples) gold.push_back(example->as<ChooseExample>().label);
  return nn::place_loss(network_.context(), groups_of(examples), gold, weight, logits);
}

void ChooseLearning::add_predictions(Part examples, const nn::Tensor& logits) {
  const auto groups = groups_of(examples);
  for (size_t i = 0; i < examples.size(); ++i) {
    std::vector<float> numbers;
    for (int64_t row = groups[i]; row < groups[i + 1]; ++row) numbers.push_back(logits.row(row)[0]);
    evaluation_.labels.add(std::to_string(examples[i]->as<ChooseExample>().label),
                           std::to_string(heads::best(numbers)));
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
