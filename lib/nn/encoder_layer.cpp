#include "nn/encoder_layer.h"

#include <algorithm>

namespace bert::nn {
namespace {

Pass of_rows(const Pass& pass, const RowSelection& selection) {
  Pass result = pass;
  result.offsets = selection.offsets;
  return result;
}

// Runs f(i, rows[i]) for all rows.
template <class Function>
void for_rows(Context& context, std::span<const int64_t> rows, Function f) {
  constexpr int64_t kTaskRows = 64;
  const auto count = static_cast<int64_t>(rows.size());
  context.pool().run_grid((count + kTaskRows - 1) / kTaskRows, [&](int64_t task, int) {
    for (int64_t i = task * kTaskRows; i < std::min(count, (task + 1) * kTaskRows); ++i)
      f(i, rows[static_cast<size_t>(i)]);
  });
}

}  // namespace

EncoderLayer::EncoderLayer(const std::string& prefix, const Config& config, Layout& layout)
    : activation_(config.activation),
      attention_(prefix + ".attention", config.hidden, config.heads, layout,
                 {config.layer, DropoutSite::probabilities, DropoutRate(config.attention_dropout)}),
      norm1_(prefix + ".attention.output.LayerNorm", config.hidden, config.norm_epsilon, layout),
      inner_(prefix + ".intermediate.dense", config.feed_forward, config.hidden, layout),
      output_(prefix + ".output.dense", config.hidden, config.feed_forward, layout),
      norm2_(prefix + ".output.LayerNorm", config.hidden, config.norm_epsilon, layout),
      attention_dropout_{config.layer, DropoutSite::attention, DropoutRate(config.dropout)},
      feed_forward_dropout_{config.layer, DropoutSite::feed_forward, DropoutRate(config.dropout)} {}

void EncoderLayer::forward(const Pass& pass, const Tensor& x, Workspace& workspace, Saved& saved,
                           Tensor& z) const {
  attention_.forward(pass, x, saved.attention, workspace.branch);
  finish(pass, x, workspace, saved, z);
}

void EncoderLayer::forward_rows(const Pass& pass, const Tensor& x, const RowSelection& selection,
                                Workspace& workspace, Saved& saved, Tensor& z) const {
  gather_rows(pass.context, x, selection.rows, saved.x_rows);
  attention_.forward_rows(pass, x, saved.x_rows, selection.offsets, saved.attention, workspace.branch);
  finish(of_rows(pass, selection), saved.x_rows, workspace, saved, z);
}

// Everything after attention, whose output is workspace.branch. Works on each row separately.
void EncoderLayer::finish(const Pass& pass, const Tensor& x, Workspace& workspace, Saved& saved,
                          Tensor& z) const {
  Tensor &branch = workspace.branch, &inner = workspace.inner;
  norm1_.forward(pass, attention_dropout_, branch, &x, pass.keeps ? saved.s1 : saved.y, saved.y);
  inner_.forward(pass.context, pass.weights, saved.y, activation_, inner, pass.keeps ? &saved.u : nullptr);
  output_.forward(pass.context, pass.weights, inner, Activation::none, branch);
  norm2_.forward(pass, feed_forward_dropout_, branch, &saved.y, pass.keeps ? saved.s2 : z, z);
}

void EncoderLayer::backward(const Pass& pass, const Tensor& x, Saved& saved, Tensor& dz, Workspace& workspace,
                            Params& gradients, Tensor& dx) const {
  backward_to_attention(pass, saved, dz, workspace, gradients, dx);
  attention_.backward(pass, x, saved.attention, workspace.branch, workspace.attention_backward, gradients,
                      Into::add, dx);
}

void EncoderLayer::backward_rows(const Pass& pass, const Tensor& x, const RowSelection& selection,
                                 Saved& saved, Tensor& dz, Workspace& workspace, Params& gradients,
                                 Tensor& dx) const {
  Tensor& dx_rows = workspace.ds1;
  backward_to_attention(of_rows(pass, selection), saved, dz, workspace, gradients, dx_rows);
  attention_.backward_rows(pass, x, saved.x_rows, selection.offsets, saved.attention, workspace.branch,
                           workspace.attention_backward, gradients, dx, dx_rows);
  if (pass.below == Pass::Below::learns) add_rows(pass.context, dx_rows, selection.rows, dx);
}

// forward:  s1 = x + drop(o)   y = norm1(s1)   u = W₁·y + b₁   s2 = y + drop(W₂·act(u) + b₂)   z = norm2(s2)
// so        df = drop(ds2)   du = (df·W₂)∘act'(u)   dy = ds2 + du·W₁   do = drop(ds1)
//           dx = ds1 + attention's
void EncoderLayer::backward_to_attention(const Pass& pass, Saved& saved, const Tensor& dz,
                                         Workspace& workspace, Params& gradients, Tensor& ds1) const {
  Context& context = pass.context;
  const Weights& weights = pass.weights;
  Tensor& ds = workspace.ds;
  norm2_.backward(pass, saved.s2, dz, ds, gradients);
  Tensor& df = workspace.branch;
  drop(pass, feed_forward_dropout_, ds, df);
  output_.backward_input(context, weights, df, activation_, saved.u, workspace.inner);
  output_.backward_weights(context, weights, workspace.inner, df, 0, gradients);
  inner_.backward_weights(context, weights, saved.y, saved.u, 0, gradients);
  inner_.backward_input(context, weights, saved.u, 0, Into::add, ds);

  norm1_.backward(pass, saved.s1, ds, ds1, gradients);
  drop(pass, attention_dropout_, ds1, workspace.branch);
}

void gather_rows(Context& context, const Tensor& x, std::span<const int64_t> rows, Tensor& y) {
  y.reshape(static_cast<int64_t>(rows.size()), x.cols());
  for_rows(context, rows, [&](int64_t i, int64_t row) { std::ranges::copy(x.values(row), y.row(i)); });
}

void add_rows(Context& context, const Tensor& x, std::span<const int64_t> rows, Tensor& y) {
  for_rows(context, rows,
           [&](int64_t i, int64_t row) { context.kernels().add(x.cols(), x.row(i), y.row(row)); });
}

}  // namespace bert::nn
