#include "train/optimizer.h"

#include <algorithm>
#include <cmath>
#include <numeric>

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
    factors.push_back(std::pow(layer_decay, static_cast<double>(below_heads)));
  }
  return factors;
}

}  // namespace

std::string_view name_of(Method method) {
  return std::ranges::find(kMethods, method, [](const auto& entry) { return entry.second; })->first;
}

bool decays(std::string_view name) {
  for (const std::string_view excluded : {"LayerNorm", "layer_norm", "bias"}) {
    if (name.find(excluded) != std::string_view::npos) return false;
  }
  return true;
}

std::vector<Slice> slices_of(const nn::Layout& layout) {
  constexpr int64_t kLongest = 1 << 16;  // 256 KiB of each array: about 100 µs for a thread
  std::vector<Slice> slices;
  int64_t start = 0;
  for (size_t tensor = 0; tensor < layout.entries().size(); ++tensor) {
    const int64_t end = start + (layout.entries()[tensor].count() + 63) / 64 * 64;
    for (; start < end; start += slices.back().count) {
      slices.push_back({static_cast<int>(tensor), start, std::min(kLongest, end - start)});
    }
  }
  return slices;
}

double global_norm(const nn::Params& gradients, nn::Context& context) {
  const auto slices = slices_of(gradients.layout());
  std::vector<double> sums(slices.size());
  context.pool().run_grid(static_cast<int64_t>(slices.size()), [&](int64_t i, int) {
    const auto& slice = slices[static_cast<size_t>(i)];
    sums[static_cast<size_t>(i)] =
        context.kernels().sum_of_squares(slice.count, gradients.all().data() + slice.start);
  });
  return std::sqrt(std::accumulate(sums.begin(), sums.end(), 0.0));
}

double clip_factor(double norm, double most) { return most > 0 && norm > most ? most / norm : 1; }

Optimizer::Optimizer(const nn::Layout& layout, const OptimizerConfig& config)
    : config_(config), slices_(slices_of(layout)), state_{.m = nn::Params(layout), .v = nn::Params(layout)} {
  if (!config_.epsilon) config_.epsilon = config.method == Method::adamw ? 1e-8 : 1e-6;
  if (*config_.epsilon < 1e-12)
    throw Error("the optimizer's epsilon is ", *config_.epsilon, ", must be at least 1e-12");
  if (!(config_.layer_decay > 0 && config_.layer_decay <= 1))
    throw Error("the optimizer's layer decay is ", config_.layer_decay, ", must be above 0 and at most 1");
  rate_factors_ = rate_factors(layout, config_.layer_decay);
  for (const auto& entry : layout.entries()) decays_.push_back(decays(entry.name));
  if (config_.frozen) {
    std::erase_if(slices_, [&](const Slice& slice) {
      return model::is_frozen(layout.entries()[static_cast<size_t>(slice.tensor)].name, *config_.frozen);
    });
  }
}

// In double precision: in float, 1 - β2^t would lose half its digits.
nn::AdamStep Optimizer::next_step(double gradient_scale) const {
  nn::AdamStep step = {.gradient_scale = static_cast<float>(gradient_scale),
                       .m_step = static_cast<float>(1 - config_.beta1),
                       .v_step = static_cast<float>(1 - config_.beta2),
                       .epsilon = static_cast<float>(*config_.epsilon)};
  if (config_.method != Method::google) {
    const auto t = static_cast<double>(state_.steps + 1);
    step.m_scale = static_cast<float>(1 / (1 - std::pow(config_.beta1, t)));
    step.v_scale = static_cast<float>(1 / std::sqrt(1 - std::pow(config_.beta2, t)));
  }
  return step;
}

std::vector<nn::AdamStep> Optimizer::steps_of_tensors(double learning_rate, double gradient_scale) const {
  std::vector<nn::AdamStep> steps(decays_.size(), next_step(gradient_scale));
  for (size_t i = 0; i < steps.size(); ++i) {
    if (decays_[i]) steps[i].decay = static_cast<float>(config_.weight_decay);
    steps[i].rate = static_cast<float>(learning_rate * rate_factors_[i]);
  }
  return steps;
}

bool Optimizer::adapts(int tensor) const {
  return config_.method == Method::lamb && decays_[static_cast<size_t>(tensor)];
}

void Optimizer::step(nn::Params& params, const nn::Params& gradients, double learning_rate,
                     double gradient_scale, nn::Context& context) {
  const auto steps = steps_of_tensors(learning_rate, gradient_scale);
  const float* g = gradients.all().data();
  float *m = state_.m.all().data(), *v = state_.v.all().data(), *p = params.all().data();
  std::vector<nn::SquareSums> sums(slices_.size());
  context.pool().run_grid(static_cast<int64_t>(slices_.size()), [&](int64_t i, int) {
    const auto& [tensor, at, count] = slices_[static_cast<size_t>(i)];
    const nn::AdamStep& step = steps[static_cast<size_t>(tensor)];
    if (adapts(tensor)) {
      sums[static_cast<size_t>(i)] =
          context.kernels().adam_moments(count, step, g + at, m + at, v + at, p + at);
    } else {
      context.kernels().adam(count, step, g + at, m + at, v + at, p + at);
    }
  });
  if (config_.method == Method::lamb) finish_lamb(params, steps, sums, context);
  ++state_.steps;
}

// Computes the ratio of each tensor from the sums of its parts, added in order.
std::vector<float> Optimizer::trust_ratios(const std::vector<nn::SquareSums>& sums) const {
  std::vector<nn::SquareSums> totals(decays_.size());
  for (size_t i = 0; i < slices_.size(); ++i) {
    auto& total = totals[static_cast<size_t>(slices_[i].tensor)];
    total.p += sums[i].p;
    total.r += sums[i].r;
  }
  std::vector<float> ratios;
  for (const auto& total : totals) {
    ratios.push_back(total.p > 0 && total.r > 0 ? static_cast<float>(std::sqrt(total.p / total.r)) : 1.0f);
  }
  return ratios;
}

void Optimizer::finish_lamb(nn::Params& params, const std::vector<nn::AdamStep>& steps,
                            const std::vector<nn::SquareSums>& sums, nn::Context& context) const {
  const auto ratios = trust_ratios(sums);
  const float *m = state_.m.all().data(), *v = state_.v.all().data();
  float* p = params.all().data();
  context.pool().run_grid(static_cast<int64_t>(slices_.size()), [&](int64_t i, int) {
    const auto& [tensor, at, count] = slices_[static_cast<size_t>(i)];
    if (!adapts(tensor)) return;
    nn::AdamStep own = steps[static_cast<size_t>(tensor)];
    own.rate *= ratios[static_cast<size_t>(tensor)];
    context.kernels().adam_apply(count, own, m + at, v + at, p + at);
  });
}

}  // namespace bert::train
