#include "train/optimizer.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "model/parts.h"

namespace bert::train {
namespace {

std::vector<double> rate_factors(const nn::Layout& layout, double layer_decay) {
  std::vector<int64_t> levels;
  int64_t highest = 0;  // highest level of the encoder
  for (const auto& entry : layout.entries()) {
    levels.push_back(model::level_of(entry.name));
    if (levels.back() != model::kAboveLayers) highest = std::max(highest, levels.back());
  }
  std::vector<double> factors;
  for (const int64_t level : levels) {
    const int64_t below_heads = std::max<int64_t>(0, highest + 1 - level);
    factors.push_back(std::pow(layer_decay, below_heads));
    const bool is_table = layout.entries()[factors.size() - 1].name == model::kQueryTable;
    if (is_table) factors.back() *= kQueryTableRate;
  }
  return factors;
}

// The owned slices that are not frozen.
std::vector<bool> trained(const nn::Layout& layout, const OptimizerConfig& config, std::vector<bool> owned) {
  const auto slices = slices_of(layout);
  if (owned.empty()) owned.assign(slices.size(), true);
  assert(owned.size() == slices.size());
  for (size_t i = 0; config.frozen && i < slices.size(); ++i) {
    const auto& name = layout.entries()[slices[i].tensor].name;
    if (model::is_frozen(name, *config.frozen)) owned[i] = false;
  }
  return owned;
}

}  // namespace

std::string_view name_of(Method method) {
  return std::ranges::find(kMethods, method, [](const auto& entry) { return entry.second; })->first;
}

bool decays(std::string_view name) {
  for (const std::string_view excluded :
       {"LayerNorm", "layer_norm", "bias", "layer_weights", "layer_gamma", "query_table"}) {
    if (name.find(excluded) != std::string_view::npos) return false;
  }
  return true;
}

std::vector<double> square_sums(const nn::Params& gradients, nn::Context& context,
                                const std::vector<bool>& owned) {
  const auto slices = slices_of(gradients.layout());
  assert(owned.empty() || owned.size() == slices.size());
  std::vector<double> sums(slices.size());
  context.pool().run_grid(slices.size(), [&](int64_t index, int) {
    const size_t i = index;
    if (!owned.empty() && !owned[i]) return;
    sums[i] = context.kernels().sum_of_squares(slices[i].count, gradients.all().data() + slices[i].start);
  });
  return sums;
}

double norm_of(std::span<const double> square_sums) {
  return std::sqrt(std::accumulate(square_sums.begin(), square_sums.end(), 0.0));
}

double clip_factor(double norm, double most) { return most > 0 && norm > most ? most / norm : 1; }

Optimizer::Optimizer(const nn::Layout& layout, const OptimizerConfig& config, std::vector<bool> owned)
    : config_(config), state_{.moments = Moments(layout, trained(layout, config, std::move(owned)))} {
  if (!config_.epsilon) config_.epsilon = config.method == Method::adamw ? 1e-8 : 1e-6;
  if (*config_.epsilon < 1e-12)
    throw Error("the optimizer's epsilon is ", *config_.epsilon, ", must be at least 1e-12");
  if (!(config_.layer_decay > 0 && config_.layer_decay <= 1))
    throw Error("the optimizer's layer decay is ", config_.layer_decay, ", must be above 0 and at most 1");
  rate_factors_ = rate_factors(layout, config_.layer_decay);
  for (const auto& entry : layout.entries()) decays_.push_back(decays(entry.name));
}

// In double precision: in float, 1 - β2^t would lose half its digits.
nn::AdamStep Optimizer::next_step(double gradient_scale) const {
  nn::AdamStep step = {.gradient_scale = static_cast<float>(gradient_scale),
                       .m_step = static_cast<float>(1 - config_.beta1),
                       .v_step = static_cast<float>(1 - config_.beta2),
                       .epsilon = static_cast<float>(*config_.epsilon)};
  if (config_.method != Method::google) {
    const double t = state_.steps + 1;
    step.m_scale = static_cast<float>(1 / (1 - std::pow(config_.beta1, t)));
    step.v_scale = static_cast<float>(1 / std::sqrt(1 - std::pow(config_.beta2, t)));
  }
  return step;
}

std::vector<nn::AdamStep> Optimizer::steps_of_tensors(double learning_rate, double gradient_scale) const {
  std::vector<nn::AdamStep> steps(decays_.size(), next_step(gradient_scale));
  for (size_t i = 0; i < steps.size(); ++i) {
    if (decays_[i]) steps[i].decay = config_.weight_decay;
    steps[i].rate = static_cast<float>(learning_rate * rate_factors_[i]);
  }
  return steps;
}

bool Optimizer::adapts(int tensor) const { return config_.method == Method::lamb && decays_[tensor]; }

void Optimizer::step(nn::Params& params, const nn::Params& gradients, double learning_rate,
                     double gradient_scale, nn::Context& context, const Complete& complete) {
  const auto steps = steps_of_tensors(learning_rate, gradient_scale);
  const auto& slices = state_.moments.slices();
  std::vector<nn::SquareSums> sums(slices.size());
  context.pool().run_grid(slices.size(), [&](int64_t index, int) {
    const size_t i = index;
    if (!state_.moments.holds(i)) return;
    const auto& slice = slices[i];
    const nn::AdamStep& step = steps[slice.tensor];
    const float* g = gradients.all().data() + slice.start;
    float* p = params.all().data() + slice.start;
    float *m = state_.moments.slice(Moment::m, i).data(), *v = state_.moments.slice(Moment::v, i).data();
    if (adapts(slice.tensor)) {
      sums[i] = context.kernels().adam_moments(slice.count, step, g, m, v, p);
    } else {
      context.kernels().adam(slice.count, step, g, m, v, p);
    }
  });
  if (config_.method == Method::lamb) {
    if (complete) complete(sums);
    finish_lamb(params, steps, sums, context);
  }
  ++state_.steps;
}

// Computes the ratio of each tensor from the sums of its slices, added in order.
std::vector<float> Optimizer::trust_ratios(std::span<const nn::SquareSums> sums) const {
  const auto& slices = state_.moments.slices();
  std::vector<nn::SquareSums> totals(decays_.size());
  for (size_t i = 0; i < slices.size(); ++i) {
    auto& total = totals[slices[i].tensor];
    total.p += sums[i].p;
    total.r += sums[i].r;
  }
  std::vector<float> ratios;
  for (const auto& total : totals) {
    ratios.push_back(total.p > 0 && total.r > 0 ? std::sqrt(total.p / total.r) : 1.0f);
  }
  return ratios;
}

void Optimizer::finish_lamb(nn::Params& params, const std::vector<nn::AdamStep>& steps,
                            std::span<const nn::SquareSums> sums, nn::Context& context) const {
  const auto ratios = trust_ratios(sums);
  const auto& slices = state_.moments.slices();
  context.pool().run_grid(slices.size(), [&](int64_t index, int) {
    const size_t i = index;
    const auto& slice = slices[i];
    if (!state_.moments.holds(i) || !adapts(slice.tensor)) return;
    nn::AdamStep own = steps[slice.tensor];
    own.rate *= ratios[slice.tensor];
    context.kernels().adam_apply(slice.count, own, state_.moments.slice(Moment::m, i).data(),
                                 state_.moments.slice(Moment::v, i).data(),
                                 params.all().data() + slice.start);
  });
}

}  // namespace bert::train
