// The part of a task that turns the examples of a step into losses and gradients.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "examples/steps.h"
#include "model/training_network.h"
#include "nn/batch.h"
#include "nn/params.h"
#include "train/training_log.h"

namespace bert::train {

// Metrics of a step or a dev set. The first is "loss", the training objective; the others depend on the task.
using Figures = std::vector<Metric>;

// Number of a step, from 0, and the seed of its dropout.
struct StepPlace {
  uint64_t seed = 0;
  uint64_t step = 0;
};

// Splits examples into parts of about this many tokens, for evaluation in bounded memory. Results do not
// depend on it, bit for bit.
constexpr int64_t kEvaluationTokens = 4096;
std::vector<std::span<const std::unique_ptr<examples::Example>>> evaluation_parts(
    const examples::Examples& examples);

// The number as bert-score reads it from bert-predict's output: the shortest decimal of its float.
double as_written(float number);

class Learner {
 public:
  // `network` must outlive this object. Its parameters must be refreshed.
  explicit Learner(model::TrainingNetwork& network) : network_(network) {}
  virtual ~Learner() = default;

  // Computes the gradients of the step's loss, normalized by the counts of the whole step.
  virtual Figures learn(const examples::Step& step, const StepPlace& place) = 0;

  // Evaluates a dev set in parts and accumulates the results, without dropout or gradients.
  virtual void begin_evaluation() = 0;
  virtual void evaluate(const examples::Examples& examples) = 0;
  virtual Figures end_evaluation() = 0;

  nn::Params& parameters() { return network_.parameters(); }
  nn::Params& gradients() { return network_.gradients(); }
  void refresh() { network_.refresh(); }  // call after parameters() have changed

 protected:
  using Part = std::span<const std::unique_ptr<examples::Example>>;

  model::TrainingNetwork& network_;
  nn::Batch batch_;  // must live until backward is done
};

}  // namespace bert::train
