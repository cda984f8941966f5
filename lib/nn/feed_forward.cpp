#include "nn/feed_forward.h"

#include <algorithm>

#include "nn/layer_norm.h"

namespace bert::nn {

FeedForward::FeedForward(const std::string& prefix, const Config& config, Layout& layout)
    : activation_(config.activation),
      inner_(prefix + ".intermediate.dense", config.width, config.hidden, layout, config.bias),
      up_(!config.gated ? std::nullopt
                        : std::optional<Linear>(std::in_place, prefix + ".intermediate.up", config.width,
                                                config.hidden, layout, config.bias)),
      output_(prefix + ".output.dense", config.hidden, config.width, layout, config.output_bias),
      dropout_(config.dropout) {}

void FeedForward::forward(const Pass& pass, const Tensor& x, const Tensor* residual, Tensor& inner,
                          Saved* saved, Tensor& y) const {
  Context& context = pass.context;
  const Weights& weights = pass.weights;
  Linear::Inner layer = {.activation = activation_};
  if (up_) layer.gate = &*up_;
  if (saved != nullptr) layer.u = &saved->u;
  if (saved != nullptr && up_) layer.factor = &saved->factor;
  if (!up_ || !drops(pass, dropout_))
    return inner_.forward(context, weights, x, layer, output_, residual, inner, y);
  inner_.forward(context, weights, x, layer, inner);
  drop(pass, dropout_, inner, inner);
  output_.forward(context, weights, inner, residual, y);
}

// forward:  u = W₁·x + b₁   g = V·x + c   h = act(u)∘g   y = W₂·drop(h) + b₂
// so        dh = drop(dy·W₂)   du = dh∘g∘act'(u)   dg = dh∘act(u)   dx = du·W₁ + dg·V
void FeedForward::backward(const Pass& pass, const Tensor& x, const Tensor& dy, Saved& saved, Tensor& inner,
                           Into into, Params& gradients, Tensor& dx) const {
  Context& context = pass.context;
  const Weights& weights = pass.weights;
  if (up_) {
    output_.backward_input(context, weights, dy, 0, Into::replace, inner);
    drop(pass, dropout_, inner, inner);
    backward_gate(context, saved, inner);
    drop(pass, dropout_, inner, inner);
  } else {
    output_.backward_input(context, weights, dy, activation_, saved.u, inner);
  }
  output_.backward_weights(context, weights, inner, dy, 0, gradients);
  inner_.backward_weights(context, weights, x, saved.u, 0, gradients);
  inner_.backward_input(context, weights, saved.u, 0, into, dx);
  if (!up_) return;
  up_->backward_weights(context, weights, x, saved.factor, 0, gradients);
  up_->backward_input(context, weights, saved.factor, 0, Into::add, dx);
}

// `inner` has dh and becomes h; u and the factor become their gradients.
void FeedForward::backward_gate(Context& context, Saved& saved, Tensor& inner) const {
  const Kernels& kernels = context.kernels();
  const int64_t width = inner.cols(), room = round_up(width, 16);
  context.pool().run_grid(inner.rows(), [&](int64_t row, int thread) {
    float *const u = saved.u.row(row), *const factor = saved.factor.row(row), *const dh = inner.row(row);
    float* const activated = context.scratch(thread, 2 * room);
    float* const dactivated = activated + room;
    std::copy_n(dh, width, dactivated);
    kernels.multiply(width, factor, dactivated);
    kernels.activation_backward(width, activation_, u, dactivated, activated, u);
    for (int64_t i = 0; i < width; ++i) {
      const float of_factor = dh[i] * activated[i];
      dh[i] = activated[i] * factor[i];
      factor[i] = of_factor;
    }
  });
}

}  // namespace bert::nn
