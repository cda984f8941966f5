// Replaced-token detection (Clark et al. 2020, section 2): a generator fills masked tokens, and the model
// learns which tokens of the sequence are not the original ones. A sampled token that is the original one
// counts as original. The loss is the mean binary cross-entropy over all tokens of a step.
#pragma once

#include <vector>

#include "examples/pretrain_example.h"
#include "metric/classification.h"
#include "nn/losses.h"
#include "train/generator.h"
#include "train/learner.h"

namespace bert::train {

class ReplacedLearning : public Learner {
 public:
  // Its examples are examples::PretrainExample with a chance.
  ReplacedLearning(model::TrainingNetwork& network, Generator generator, Keep keep)
      : Learner(network, keep), generator_(std::move(generator)) {}

  task::Task task() const override { return task::Task::replaced; }
  metric::Values learn(const examples::Step& step, const StepPlace& place) override;
  void begin_evaluation() override { score_ = {}; }
  void evaluate(const examples::Examples& examples) override;
  metric::Values end_evaluation() override;

 private:
  struct Score {
    nn::Loss loss;
    metric::LabelCounts::Counts replaced;  // tokens
  };
  // With a weight, backward descends weight·loss.
  void add(Part examples, const nn::DropoutSeed* dropout_seed, std::optional<float> weight, Score& score);
  // Sets batch_ to the sequences with the generator's tokens. Returns for each token whether it is replaced,
  // 0 or 1.
  std::vector<float> corrupt(Part examples);
  metric::Evaluation sum_over_ranks(Score& score);

  Generator generator_;
  Score score_;  // of the evaluation
};

}  // namespace bert::train
