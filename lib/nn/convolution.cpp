#include "nn/convolution.h"

#include <algorithm>
#include <vector>

#include "nn/blocks.h"

namespace bert::nn {
namespace {

// Calls f(row, t, neighbour) for the neighbours of all rows that are in the same sequence, or neighbour -1.
template <class Function>
void for_neighbours(const Pass& pass, int64_t size, Function f) {
  pass.context.pool().run_grid(std::ssize(pass.offsets) - 1, [&](int64_t s, int) {
    const int64_t begin = pass.offsets[s], end = pass.offsets[s + 1];
    for (int64_t row = begin; row < end; ++row) {
      for (int64_t t = 0; t < size; ++t) {
        const int64_t neighbour = row + t - size / 2;
        f(row, t, neighbour < begin || neighbour >= end ? -1 : neighbour);
      }
    }
  });
}

}  // namespace

Convolution::Convolution(const Config& config, Layout& layout)
    : config_(config),
      kernel_(Linear::of_kernel("encoder.conv.conv", config.hidden, config.hidden * config.size, config.size,
                                layout)),
      norm_("encoder.conv.LayerNorm", config.hidden, config.norm_epsilon, layout),
      dropout_{.layer = 0, .site = DropoutSite::feed_forward, .rate = DropoutRate(config.dropout)} {}

void Convolution::forward(const Pass& pass, const Tensor& x, Saved& saved, Tensor& y) const {
  auto& [columns, u, s] = saved;
  const int64_t size = config_.size;
  columns.reshape(x.rows(), config_.hidden * size);
  for_neighbours(pass, size, [&, to = &columns](int64_t row, int64_t t, int64_t neighbour) {
    float* const of_row = to->row(row) + t;
    const float* const from = neighbour < 0 ? nullptr : x.row(neighbour);
    for (int64_t i = 0; i < config_.hidden; ++i) of_row[i * size] = from == nullptr ? 0 : from[i];
  });
  kernel_.forward(pass.context, pass.weights, columns, Activation::none, u);
  drop(pass, dropout_, u, u);
  activate(pass.context, u, s);
  norm_.forward(pass, {}, s, &y, s, y);
}

void Convolution::activate(Context& context, const Tensor& u, Tensor& y) const {
  y.reshape(u.rows(), u.cols());
  const std::vector<float> no_bias(round_up(u.cols(), kBlockColumns));
  context.pool().run_grid(u.rows(), [&](int64_t row, int) {
    context.kernels().finish_tile({.rows = 1,
                                   .columns = round_up(u.cols(), kBlockColumns),
                                   .stride = u.stride(),
                                   .layer = {.numbers = u.row(row), .bias = no_bias.data()},
                                   .activation = config_.activation},
                                  y.row(row), y.stride());
  });
}

// forward:  u = drop(W·columns + b)   s = y + act(u)   z = norm(s)
// so        ds = dy   du = drop(ds∘act'(u))   dcolumns = du·W, each added to its token
void Convolution::backward(const Pass& pass, Saved& saved, Tensor& dy, Params& gradients, Tensor* dx) const {
  Context& context = pass.context;
  Tensor &du = saved.u, &dcolumns = saved.columns;
  norm_.backward(pass, saved.s, dy, dy, gradients);
  context.pool().run_grid(du.rows(), [&](int64_t row, int thread) {
    float* const activated = context.scratch(thread, du.stride());
    context.kernels().activation_backward(du.cols(), config_.activation, du.row(row), dy.row(row), activated,
                                          du.row(row));
  });
  drop(pass, dropout_, du, du);
  kernel_.backward_weights(context, pass.weights, saved.columns, du, 0, gradients);
  if (dx == nullptr) return;
  kernel_.backward_input(context, pass.weights, du, 0, Into::replace, dcolumns);
  dx->reshape(du.rows(), config_.hidden);
  context.pool().run_grid(dx->rows(), [&](int64_t row, int) { std::fill_n(dx->row(row), dx->cols(), 0.0f); });
  for_neighbours(pass, config_.size, [&](int64_t row, int64_t t, int64_t neighbour) {
    if (neighbour < 0) return;
    const float* const from = dcolumns.row(row) + t;
    float* const to = dx->row(neighbour);
    for (int64_t i = 0; i < config_.hidden; ++i) to[i] += from[i * config_.size];
  });
}

}  // namespace bert::nn
