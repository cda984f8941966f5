// The part of a task that turns the examples of a step into losses and gradients.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "comm/communicator.h"
#include "examples/steps.h"
#include "metric/metrics.h"
#include "model/parts.h"
#include "model/training_network.h"
#include "nn/batch.h"
#include "nn/params.h"

namespace bert::train {

// Number of a step, from 0, and the seed of its dropout.
struct StepPlace {
  uint64_t seed = 0;
  uint64_t step = 0;
  std::optional<int64_t> steps = {};  // of the run; nullopt: it is measured by time
  double progress = 1;                // of the run, 0 to 1, at the beginning of the step
};

class Learner {
 public:
  using Keep = model::TrainingNetwork::Keep;

  // `network` must outlive this object. Its parameters must be refreshed. `keep`: what forward keeps for
  // backward.
  Learner(model::TrainingNetwork& network, Keep keep) : network_(network), keep_(keep) {}
  virtual ~Learner() = default;

  virtual task::Task task() const = 0;

  // Shares the work with other ranks, whose learners must make the same calls. `ready`: see
  // TrainingNetwork::backward; called for the last batch of a step, if this rank has any.
  void join(comm::Communicator& ranks, model::TrainingNetwork::Ready ready);

  // `call` is called after each batch of a step except the last.
  void after_batch(std::function<void()> call) { after_batch_ = std::move(call); }

  // Computes the gradients of the step's loss from this rank's examples, normalized by the counts of the
  // whole step. Returns the metrics of the whole step, the first one being the loss.
  virtual metric::Values learn(const examples::Step& step, const StepPlace& place) = 0;

  // The loss of the last step by which steps can be compared, if `loss` has a part that grows by plan.
  virtual double whole_loss(double loss) const { return loss; }

  // Evaluates a dev set in parts and accumulates the results, without dropout or gradients. The metrics do
  // not depend on the number of ranks.
  virtual void begin_evaluation() = 0;
  virtual void evaluate(const examples::Examples& examples) = 0;
  virtual metric::Values end_evaluation() = 0;

  nn::Params& parameters() { return network_.parameters(); }
  nn::Params& gradients() { return network_.gradients(); }
  nn::Context& context() { return network_.context(); }
  void refresh() { network_.refresh(); }            // call after parameters() have changed
  void begin_update() { network_.begin_update(); }  // see TrainingNetwork
  virtual void end_update() { network_.end_update(); }

 protected:
  using Part = std::span<const examples::Example* const>;

  // Computes gradients from this rank's examples of each batch: `forward` runs the network and its losses.
  void add_gradients(const examples::Step& step, const StepPlace& place,
                     const std::function<void(Part, const nn::DropoutSeed&)>& forward);
  // Parts for evaluation in bounded memory.
  std::vector<std::vector<const examples::Example*>> evaluation_parts(
      const examples::Examples& examples) const;
  // The consecutive examples of a part on which a rank runs the network.
  Part range_of(int rank, Part part) const;
  void sum_over_ranks(std::initializer_list<nn::Loss*> losses);
  comm::Communicator& ranks() const { return *ranks_; }

  model::TrainingNetwork& network_;
  const Keep keep_;
  nn::Batch batch_;  // must live until backward is done

 private:
  comm::Communicator alone_;
  comm::Communicator* ranks_ = &alone_;
  model::TrainingNetwork::Ready ready_;
  std::function<void()> after_batch_;
};

// Learner of a classifier: computes its logits for the examples, and a loss that is a weighted mean.
class ClassifierLearner : public Learner {
 public:
  using Learner::Learner;

  metric::Values learn(const examples::Step& step, const StepPlace& place) final;
  void begin_evaluation() override;
  // The windows of a record must come in order and may be spread over several calls.
  void evaluate(const examples::Examples& examples) final;
  metric::Values end_evaluation() override;

 protected:
  // What an example adds to the divisor that turns the sum of the losses into a mean.
  virtual double importance(const examples::Example& example) const = 0;
  // The rows of batch_, which has the examples' sequences, that the head reads.
  virtual std::vector<int64_t> head_rows(Part /*examples*/) const {
    return model::pooled_rows(network_.config(), batch_);
  }
  // Replaces logits by the gradient of weight·loss.
  virtual nn::Loss loss(Part examples, float weight, nn::Tensor& logits) = 0;
  // Predicts like bert-predict and compares like bert-score, in evaluation_.
  virtual void add_predictions(Part examples, const nn::Tensor& logits) = 0;

  metric::Evaluation evaluation_;  // since begin_evaluation(), which clears it

 private:
  struct Total {
    nn::Loss loss;
    double importance = 0;

    double mean() const { return importance > 0 ? loss.sum / importance : 0; }
  };

  void evaluate(Part examples, nn::Tensor& logits);
  void make_batch(Part examples);
  nn::Tensor& forward(Part examples, const nn::DropoutSeed* dropout_seed, Keep keep);

  Total evaluated_;      // loss of the evaluation
  nn::Tensor gathered_;  // logits of all ranks for a part
};

}  // namespace bert::train
