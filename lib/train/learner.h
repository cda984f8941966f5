// What a task brings to training: how a step's examples become losses and gradients.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "data/steps.h"
#include "model/training_network.h"
#include "nn/batch.h"
#include "nn/params.h"
#include "train/journal.h"

namespace bert::train {

// Figures of a step or of a dev set. The first is "loss", what training goes down; the others are the task's.
using Figures = std::vector<Metric>;

// The number a step stands at, from 0, and the seed of all that is left out in it.
struct StepPlace {
  uint64_t seed = 0;
  uint64_t step = 0;
};

// Examples cut into runs of about this many tokens, for evaluation in bounded memory; the bits of a result do
// not depend on it.
constexpr int64_t kEvaluationTokens = 4096;
std::vector<std::span<const std::unique_ptr<data::Example>>> evaluation_parts(const data::Examples& examples);

// A number as bert-score reads it in what bert-predict writes: the shortest decimal of its float.
double as_written(float number);

class Learner {
 public:
  // `network` outlives this, with its parameters refreshed.
  explicit Learner(model::TrainingNetwork& network) : network_(network) {}
  virtual ~Learner() = default;

  // Makes the gradients those of the step's loss, normalised by the counts of the whole step.
  virtual Figures learn(const data::Step& step, const StepPlace& place) = 0;

  // A dev set goes by in parts, between which sums are kept; nothing is left out and nothing learned.
  virtual void begin_evaluation() = 0;
  virtual void evaluate(const data::Examples& examples) = 0;
  virtual Figures end_evaluation() = 0;

  nn::Params& parameters() { return network_.parameters(); }
  nn::Params& gradients() { return network_.gradients(); }
  void refresh() { network_.refresh(); }  // after parameters() have changed

 protected:
  using Part = std::span<const std::unique_ptr<data::Example>>;

  model::TrainingNetwork& network_;
  nn::Batch batch_;  // the network looks at it until backward is done
};

}  // namespace bert::train
