// Replaced-token detection (Clark et al. 2020, section 2): a generator fills masked tokens, and the model
// learns which tokens of the sequence are not the original ones. A sampled token that is the original one
// counts as original. The loss of the model is the mean binary cross-entropy over all tokens of a step. If
// the generator learns, too, the loss of the step is its mean loss over the masked tokens + 50 of the
// model's; no gradient goes through the samples.
#pragma once

#include <optional>
#include <vector>

#include "examples/pretrain_example.h"
#include "metric/classification.h"
#include "nn/losses.h"
#include "train/generator.h"
#include "train/learner.h"

namespace bert::train {

class ReplacedLearning : public Learner {
 public:
  // Its examples are examples::PretrainExample with a chance. Without `fixed`, the network has a generator,
  // which fills masked tokens with one of the first `choices` ids.
  ReplacedLearning(model::TrainingNetwork& network, std::optional<Generator> fixed, int64_t choices,
                   Keep keep)
      : Learner(network, keep), fixed_(std::move(fixed)), choices_(choices) {}

  task::Task task() const override { return task::Task::replaced; }
  metric::Values learn(const examples::Step& step, const StepPlace& place) override;
  void begin_evaluation() override { score_ = {}; }
  void evaluate(const examples::Examples& examples) override;
  metric::Values end_evaluation() override;

 private:
  struct Score {
    nn::Loss loss, masked_lm;  // of the model, of its generator
    metric::Counts replaced;   // tokens
  };
  // Factors of the two losses in the objective.
  struct Weights {
    float replaced, masked_lm;
  };
  struct Masked {
    std::vector<int64_t> rows;  // of the batch
    std::vector<int32_t> gold;
    std::vector<double> chances;
  };
  // With weights, backward descends the weighted sum of the losses.
  void add(Part examples, const nn::DropoutSeed* dropout_seed, const std::optional<Weights>& weights,
           Score& score);
  Masked make_batch(Part examples);  // sets batch_
  // The tokens that a learning generator puts there. With weights, adds its gradients.
  std::vector<int32_t> fill(const Masked& masked, const nn::DropoutSeed* dropout_seed,
                            const std::optional<Weights>& weights, Score& score);
  metric::Evaluation sum_over_ranks(Score& score);

  std::optional<Generator> fixed_;
  const int64_t choices_;
  Score score_;  // of the evaluation
};

}  // namespace bert::train
