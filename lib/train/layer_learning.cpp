#include "train/layer_learning.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "train/sequence_losses.h"

namespace bert::train {

LayerLearning::LayerLearning(model::TrainingNetwork& network, std::unique_ptr<model::Network> teacher,
                             Options options)
    : Learner(network, options.keep),
      teacher_(std::move(teacher)),
      options_(std::move(options)),
      loss_(nn::entry(options_.loss)),
      traced_(options_.teacher_layers) {
  assert(loss_.last_layer || keep_ == Keep::activations);
  std::ranges::sort(traced_);
  traced_.erase(std::unique(traced_.begin(), traced_.end()), traced_.end());
  if (!loss_.last_layer) {
    traced_states_ = {0};
    traced_states_.insert(traced_states_.end(), traced_.begin(), traced_.end());
  }
  if (!loss_.learns_key_bias()) network_.ignore_key_bias();
}

size_t LayerLearning::index_of(int64_t teacher_layer) const {
  return std::ranges::lower_bound(traced_, teacher_layer) - traced_.begin();
}

void LayerLearning::compare(Part examples, const nn::DropoutSeed* dropout_seed,
                            std::span<const uint64_t> sequences, std::optional<float> weight,
                            std::string& own) {
  using Through = model::TrainingNetwork::Through;
  batch_ = {};
  for (const auto* example : examples) batch_.add(example->ids, example->types);
  const auto* const its_bias = teacher_->trace(batch_, traced_states_, traced_, trace_);
  network_.forward_layers(batch_, loss_.last_layer ? Through::projected : Through::output, dropout_seed,
                          keep_);
  std::vector<double> losses(examples.size());
  const int64_t layers = network_.config().layers, first = layers - std::ssize(options_.teacher_layers) + 1;
  for (int64_t layer = first; layer <= layers; ++layer) {
    const size_t traced = index_of(options_.teacher_layers[layer - first]);
    for (const auto& relation : loss_.relations)
      nn::add_relation(
          network_.context(), batch_.offsets, relation, options_.heads,
          {.numbers = network_.projected(layer),
           .hidden = network_.config().hidden,
           .bias = network_.attention_bias()},
          {.numbers = trace_.projected[traced], .hidden = teacher_->config().hidden, .bias = its_bias},
          weight.value_or(0), weight ? &network_.projected_gradient(layer) : nullptr, losses);
    if (!loss_.last_layer) compare_states(layer, trace_.states[traced + 1], weight, losses);
  }
  if (!loss_.last_layer) compare_states(0, trace_.states[0], weight, losses);
  if (!std::ranges::all_of(losses, [](double loss) { return std::isfinite(loss); }))
    if (const auto cause = teacher_->cause_of_not_finite(); !cause.empty())
      throw Error("the numbers of the teacher are not finite", cause);
  for (size_t i = 0; i < losses.size(); ++i) append_loss(own, sequences[i], losses[i]);
}

// forward:  y = project(x)   loss = squares(y - target)     so   dx = project's of dy
void LayerLearning::compare_states(int64_t layer, const nn::Tensor& target, std::optional<float> weight,
                                   std::span<double> losses) {
  const auto& x = network_.state(layer);
  const bool projects = network_.config().projection.out != 0;
  if (projects) network_.project(x, projected_);
  nn::add_squares(network_.context(), batch_.offsets, projects ? projected_ : x, target, weight.value_or(0),
                  !weight    ? nullptr
                  : projects ? &dprojected_
                             : &dx_,
                  losses);
  if (!weight) return;
  if (projects) network_.project_gradient(x, dprojected_, dx_);
  auto& gradient = network_.state_gradient(layer);
  auto& context = network_.context();
  context.pool().run_grid(dx_.rows(), [&](int64_t row, int) {
    context.kernels().add(dx_.cols(), dx_.row(row), gradient.row(row));
  });
}

metric::Values LayerLearning::learn(const examples::Step& step, const StepPlace& place) {
  double tokens = 0;
  for (const auto& batch : step.batches)
    for (const auto& example : batch.examples) tokens += example->tokens();
  ranks().sum({&tokens, 1});
  std::string own;
  add_gradients(step, place, [&](Part examples, const nn::DropoutSeed& dropout_seed) {
    compare(examples, &dropout_seed, dropout_seed.sequences, static_cast<float>(1 / tokens), own);
  });
  return metric::step_values({.loss = sum_of_losses(ranks(), own).sum / tokens}, task());
}

void LayerLearning::begin_evaluation() {
  evaluated_.clear();
  sequences_ = 0;
  tokens_ = 0;
}

void LayerLearning::evaluate(const examples::Examples& examples) {
  for (const Part part : evaluation_parts(examples)) {
    const auto range = range_of(ranks().rank(), part);
    std::vector<uint64_t> numbers(range.size());
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = sequences_ + (range.data() - part.data()) + i;
    if (!range.empty()) compare(range, nullptr, numbers, {}, evaluated_);
    sequences_ += part.size();
    for (const auto* example : part) tokens_ += example->tokens();
  }
}

metric::Values LayerLearning::end_evaluation() {
  const double sum = sum_of_losses(ranks(), std::exchange(evaluated_, {})).sum;
  return metric::dev_values({.loss = tokens_ > 0 ? sum / tokens_ : 0}, task());
}

}  // namespace bert::train
