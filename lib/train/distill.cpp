#include "train/distill.h"

#include <utility>
#include <vector>

#include "train/sequence_losses.h"

namespace bert::train {

using examples::EmbedExample;

// For each text of the last forward: its number and its loss. Replaces `gradient` [S,width] by weight · the
// gradient of their sum, unless it is nullptr.
void DistillLearning::append_losses(Part examples, std::span<const uint64_t> sequences, double weight,
                                    nn::Tensor* gradient, std::string& out) const {
  std::vector<std::span<const float>> targets;
  for (const auto* one : examples) {
    const auto& example = one->as<EmbedExample>();
    targets.insert(targets.end(), example.lengths.size(), example.target);
  }
  std::vector<double> losses(targets.size());
  if (gradient) gradient->reshape(vectors_->rows(), vectors_->cols());
  network_.context().pool().run_grid(std::ssize(targets), [&](int64_t row, int) {
    const std::span<float> dx(gradient ? gradient->row(row) : nullptr, gradient ? gradient->cols() : 0);
    losses[row] = nn::vector_loss(loss_, vectors_->values(row), targets[row], weight, dx);
  });
  for (size_t i = 0; i < losses.size(); ++i) append_loss(out, sequences[i], losses[i]);
}

metric::Values DistillLearning::learn(const examples::Step& step, const StepPlace& place) {
  double texts = 0;
  for (const auto& batch : step.batches) texts += batch.sequences.size();
  ranks().sum({&texts, 1});
  std::string own;
  add_gradients(step, place, [&](Part examples, const nn::DropoutSeed& dropout_seed) {
    forward(examples, &dropout_seed, keep_);
    append_losses(examples, dropout_seed.sequences, 1 / texts, &gradient_, own);
    sentences_.backward(gradient_);
  });
  return metric::step_values({.loss = sum_of_losses(ranks(), own).mean()}, task());
}

void DistillLearning::evaluate(const examples::Examples& examples) {
  if (!examples.empty()) taught_ = !examples.front()->as<EmbedExample>().target.empty();
  EmbedLearning::evaluate(examples);
}

void DistillLearning::append_evaluated(Part examples, std::span<const uint64_t> sequences,
                                       std::string& out) const {
  if (!taught_) return EmbedLearning::append_evaluated(examples, sequences, out);
  append_losses(examples, sequences, 0, nullptr, out);
}

metric::Values DistillLearning::end_evaluation() {
  if (!taught_) return EmbedLearning::end_evaluation();
  const double loss = sum_of_losses(ranks(), std::exchange(evaluated_, {})).mean();
  return metric::dev_values({.loss = loss}, task());
}

}  // namespace bert::train
