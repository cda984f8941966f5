#include "nn/encoder_layer.h"

#include <algorithm>

namespace bert::nn {
namespace {

Pass of_rows(const Pass& pass, const std::optional<RowSelection>& selection) {
  Pass result = pass;
  if (selection) result.offsets = selection->offsets;
  return result;
}

Attention::Queries queries_of(const Tensor& x_rows, const Pass& after,
                              const std::optional<RowSelection>& selection) {
  return {x_rows, after.offsets, selection ? selection->rows : std::span<const int64_t>()};
}

// Runs f(i, rows[i]) for all rows.
template <class Function>
void for_rows(Context& context, std::span<const int64_t> rows, Function f) {
  constexpr int64_t kTaskRows = 64;
  const int64_t count = rows.size();
  context.pool().run_grid((count + kTaskRows - 1) / kTaskRows, [&](int64_t task, int) {
    for (int64_t i = task * kTaskRows; i < std::min(count, (task + 1) * kTaskRows); ++i) f(i, rows[i]);
  });
}

}  // namespace

EncoderLayer::EncoderLayer(const std::string& prefix, const Config& config, Layout& layout)
    : activation_(config.activation),
      attention_(prefix + ".attention", config.hidden, config.heads, config.mask, layout,
                 {config.layer, DropoutSite::probabilities, DropoutRate(config.attention_dropout)}),
      norm1_(prefix + ".attention.output.LayerNorm", config.hidden, config.norm_epsilon, layout),
      inner_(prefix + ".intermediate.dense", config.feed_forward, config.hidden, layout),
      output_(prefix + ".output.dense", config.hidden, config.feed_forward, layout),
      norm2_(prefix + ".output.LayerNorm", config.hidden, config.norm_epsilon, layout),
      attention_dropout_{config.layer, DropoutSite::attention, DropoutRate(config.dropout)},
      feed_forward_dropout_{config.layer, DropoutSite::feed_forward, DropoutRate(config.dropout)} {}

// Everything after attention works on each row separately.
void EncoderLayer::forward(const Pass& pass, const Tensor& x, const std::optional<RowSelection>& selection,
                           Workspace& workspace, Saved& saved, Tensor& z) const {
  Tensor &branch = workspace.branch, &inner = workspace.inner;
  const Pass after = of_rows(pass, selection);
  if (selection) gather_rows(pass.context, x, selection->rows, saved.x_rows);
  const Tensor& x_rows = selection ? saved.x_rows : x;
  attention_.forward(pass, x, queries_of(x_rows, after, selection), saved.attention, branch);
  norm1_.forward(after, attention_dropout_, branch, &x_rows, pass.keeps ? saved.s1 : saved.y, saved.y);
  inner_.forward(pass.context, pass.weights, saved.y, activation_, inner, pass.keeps ? &saved.u : nullptr);
  output_.forward(pass.context, pass.weights, inner, Activation::none, branch);
  norm2_.forward(after, feed_forward_dropout_, branch, &saved.y, pass.keeps ? saved.s2 : z, z);
}

// forward:  s1 = x + drop(o)   y = norm1(s1)   u = W₁·y + b₁   s2 = y + drop(W₂·act(u) + b₂)   z = norm2(s2)
// so        df = drop(ds2)   du = (df·W₂)∘act'(u)   dy = ds2 + du·W₁   do = drop(ds1)
//           dx = ds1 + attention's
void EncoderLayer::backward(const Pass& pass, const Tensor& x, const std::optional<RowSelection>& selection,
                            Saved& saved, Tensor& dz, Workspace& workspace, Params& gradients,
                            Tensor& dx) const {
  Context& context = pass.context;
  const Weights& weights = pass.weights;
  const Pass after = of_rows(pass, selection);
  Tensor &ds = workspace.ds, &df = workspace.branch, &ds1 = selection ? workspace.ds1 : dx;
  norm2_.backward(after, saved.s2, dz, ds, gradients);
  drop(after, feed_forward_dropout_, ds, df);
  output_.backward_input(context, weights, df, activation_, saved.u, workspace.inner);
  output_.backward_weights(context, weights, workspace.inner, df, 0, gradients);
  inner_.backward_weights(context, weights, saved.y, saved.u, 0, gradients);
  inner_.backward_input(context, weights, saved.u, 0, Into::add, ds);

  norm1_.backward(after, saved.s1, ds, ds1, gradients);
  Tensor& d_attention = workspace.branch;
  drop(after, attention_dropout_, ds1, d_attention);
  attention_.backward(pass, x, queries_of(selection ? saved.x_rows : x, after, selection), saved.attention,
                      d_attention, workspace.attention_backward, gradients, dx, ds1);
  if (selection && pass.below == Pass::Below::learns) add_rows(context, ds1, selection->rows, dx);
}

void gather_rows(Context& context, const Tensor& x, std::span<const int64_t> rows, Tensor& y) {
  y.reshape(rows.size(), x.cols());
  for_rows(context, rows, [&](int64_t i, int64_t row) { std::ranges::copy(x.values(row), y.row(i)); });
}

void add_rows(Context& context, const Tensor& x, std::span<const int64_t> rows, Tensor& y) {
  for_rows(context, rows,
           [&](int64_t i, int64_t row) { context.kernels().add(x.cols(), x.row(i), y.row(row)); });
}

}  // namespace bert::nn
