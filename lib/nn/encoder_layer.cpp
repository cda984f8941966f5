#include "nn/encoder_layer.h"

#include <algorithm>
#include <utility>

#include "nn/row_parts.h"

namespace bert::nn {
namespace {

Pass of_rows(const Pass& pass, const std::optional<RowSelection>& selection) {
  Pass result = pass;
  if (selection) result.offsets = selection->offsets;
  return result;
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

// Zeros of the shape of `like`.
void clear(Context& context, const Tensor& like, Tensor& y) {
  y.reshape(like.rows(), like.cols());
  context.pool().run_grid(y.rows(), [&](int64_t row, int) { std::fill_n(y.row(row), y.cols(), 0.0f); });
}

}  // namespace

EncoderLayer::EncoderLayer(const std::string& prefix, const Config& config, Layout& layout)
    : norms_first_(config.norms_first),
      numbers_(config.attention.hidden * (4 * config.attention.hidden +
                                          (config.feed_forward.gated ? 3 : 2) * config.feed_forward.width)),
      attention_(prefix + ".attention", config.attention, layout,
                 {config.layer, DropoutSite::probabilities, DropoutRate(config.attention_dropout)}),
      norm1_(config.norms_first && !config.norms_attention
                 ? std::nullopt
                 : std::optional<LayerNorm>(std::in_place, prefix + ".attention.output.LayerNorm",
                                            config.attention.hidden, config.norm_epsilon, layout,
                                            config.norm_bias)),
      norm_again_(config.norms_again
                      ? std::optional<LayerNorm>(std::in_place, prefix + ".attention.again.LayerNorm",
                                                 config.attention.hidden, config.norm_epsilon, layout,
                                                 config.norm_bias)
                      : std::nullopt),
      feed_forward_(prefix, config.feed_forward, layout),
      norm2_(prefix + ".output.LayerNorm", config.attention.hidden, config.norm_epsilon, layout,
             config.norm_bias),
      attention_dropout_{config.layer, DropoutSite::attention, DropoutRate(config.attention_branch_dropout)},
      feed_forward_dropout_{config.layer, DropoutSite::feed_forward,
                            DropoutRate(config.feed_forward_branch_dropout)} {}

EncoderLayer::Rows EncoderLayer::rows_of(const Pass& pass, const Tensor& x,
                                         const std::optional<RowSelection>& selection,
                                         const Saved& saved) const {
  const Tensor& x_rows = selection ? saved.x_rows : x;
  const Tensor& normed_rows = selection ? saved.normed_rows : saved.normed;
  const Pass after = of_rows(pass, selection);
  return {after,
          x_rows,
          {norms_input() ? normed_rows : x_rows, after.offsets,
           selection ? selection->rows : std::span<const int64_t>()}};
}

const Tensor& EncoderLayer::input_of_attention(const Pass& pass, const Tensor& x, Saved& saved) const {
  if (!norms_input()) return x;
  norm1_->forward(pass, {}, x, nullptr, saved.normed, saved.normed);
  return saved.normed;
}

void EncoderLayer::project(const Pass& pass, const Tensor& x, Saved& saved, Tensor& qkv) const {
  attention_.project(pass, input_of_attention(pass, x, saved), qkv);
}

void EncoderLayer::project_backward(const Pass& pass, const Tensor& x, Tensor& dqkv, Linear::Bias key_bias,
                                    const Saved& saved, Params& gradients, Tensor& dx) const {
  Pass whole = pass;
  if (norms_input()) whole.below = Pass::Below::learns;  // norm1 does
  attention_.project_backward(whole, norms_input() ? saved.normed : x, dqkv, key_bias, gradients, dx);
  if (norms_input()) norm1_->backward(pass, x, dx, dx, gradients);
}

std::vector<std::vector<float>> EncoderLayer::attention_weights(const Pass& pass, const Tensor& x,
                                                                Saved& saved) const {
  return attention_.weights(pass, input_of_attention(pass, x, saved));
}

void EncoderLayer::forward(const Pass& pass, const Tensor& x, const std::optional<RowSelection>& selection,
                           Workspace& workspace, Saved& saved, Tensor& z) const {
  const Tensor& input = input_of_attention(pass, x, saved);
  if (selection) gather_rows(pass.context, x, selection->rows, saved.x_rows);
  if (selection && norms_input()) gather_rows(pass.context, saved.normed, selection->rows, saved.normed_rows);
  const Rows rows = rows_of(pass, x, selection, saved);
  const auto parts_of = [&](int64_t count) {
    return parts_of_rows(pass, feed_forward_.dtype(pass.weights), count, numbers_);
  };
  attention_.forward(pass, input, rows.queries, parts_of(x.rows()), saved.attention);
  const Tensor& attended = saved.attention.attended;
  const int64_t count = attended.rows(), parts = parts_of(count);
  if (parts == 1)
    return after_heads(rows.after, rows.x, attended, workspace.branch, workspace.inner, saved, z);
  z.reshape(count, rows.x.cols());
  workspace.alone.resize(pass.context.pool().size());
  for_parts_of_rows(pass, parts, count, [&](const Pass& alone, const RowPart& part) {
    auto& its = workspace.alone[part.thread];
    Tensor of_z = z.part(part.first, part.rows);
    after_heads(alone, rows.x.part(part.first, part.rows), attended.part(part.first, part.rows), its.branch,
                its.inner, its.saved, of_z);
  });
}

// Everything after the heads works on each row separately.
void EncoderLayer::after_heads(const Pass& pass, const Tensor& x, const Tensor& attended, Tensor& dropped,
                               Tensor& inner, Saved& saved, Tensor& z) const {
  // Without dropout, a product adds the residual itself, which saves a pass over memory.
  struct Branch {
    const Tensor* added;
    Tensor& y;
    const Tensor* residual;  // that remains to be added
  };
  const auto branch_into = [&](Tensor& s, const DropoutPlace& place, const Tensor& residual) {
    return drops(pass, place) ? Branch{nullptr, dropped, &residual} : Branch{&residual, s, nullptr};
  };
  auto* const of_feed_forward = pass.keeps ? &saved.feed_forward : nullptr;
  Tensor &s1 = norms_first_ || pass.keeps ? saved.s1 : saved.y,
         &s2 = pass.keeps && !norms_first_ ? saved.s2 : z;
  const Branch attention = branch_into(s1, attention_dropout_, x);
  attention_.project_output(pass, attended, attention.added, attention.y);
  (norms_first_ ? norm2_ : *norm1_)
      .forward(pass, attention_dropout_, attention.y, attention.residual, s1, saved.y);
  if (norm_again_) norm_again_->forward(pass, {}, saved.y, &x, pass.keeps ? saved.again : saved.y, saved.y);
  const Branch feed_forward = branch_into(s2, feed_forward_dropout_, norms_first_ ? s1 : saved.y);
  feed_forward_.forward(pass, saved.y, feed_forward.added, inner, of_feed_forward, feed_forward.y);
  if (!norms_first_)
    return norm2_.forward(pass, feed_forward_dropout_, feed_forward.y, feed_forward.residual, s2, z);
  if (feed_forward.residual != nullptr)
    drop_and_add(pass, feed_forward_dropout_, feed_forward.y, *feed_forward.residual, z);
}

// forward:  s1 = x + drop(attend(x))   y = norm1(s1)   s2 = y + drop(feed_forward(y))   z = norm2(s2)
// so        ds2 -> dy = ds2 + feed_forward's of drop(ds2)   ds1 -> dx = ds1 + attention's of drop(ds1)
//
// or        s1 = x + drop(attend(norm1(x)))   y = norm2(s1)   z = s1 + drop(feed_forward(y))
// so        dy = feed_forward's of drop(dz)   ds1 = dz + norm2's of dy   dx = ds1 + norm1's of attention's
//
// or        again = x + norm1(s1)   y = norm_again(again)
// so        dagain = norm_again's of dy   ds1 = norm1's of dagain   dx = dagain + ds1 + attention's of
// drop(ds1)
void EncoderLayer::backward(const Pass& pass, const Tensor& x, const std::optional<RowSelection>& selection,
                            Saved& saved, Tensor& dz, Workspace& workspace, Params& gradients,
                            Tensor& dx) const {
  Context& context = pass.context;
  const Pass after = of_rows(pass, selection);
  Tensor &ds = workspace.ds, &df = workspace.branch, &ds1 = selection ? workspace.ds1 : dx;
  if (!norms_first_) norm2_.backward(after, saved.s2, dz, ds, gradients);
  drop(after, feed_forward_dropout_, norms_first_ ? dz : ds, df);
  feed_forward_.backward(after, saved.y, df, saved.feed_forward, workspace.inner,
                         norms_first_ ? Into::replace : Into::add, gradients, ds);
  if (norms_first_) {
    norm2_.backward(after, saved.s1, ds, ds1, gradients);
    add(context, dz, ds1);
  } else {
    if (norm_again_) norm_again_->backward(after, saved.again, ds, ds, gradients);
    norm1_->backward(after, saved.s1, ds, ds1, gradients);
  }
  drop(after, attention_dropout_, ds1, workspace.branch);
  if (norm_again_) add(context, ds, ds1);
  if (norms_input()) return backward_normed(pass, x, selection, saved, workspace, gradients, dx);
  const Rows rows = rows_of(pass, x, selection, saved);
  attention_.backward(pass, x, rows.queries, saved.attention, workspace.branch, workspace.attention_backward,
                      gradients, dx, ds1);
  if (selection && pass.below == Pass::Below::learns) add_rows(context, ds1, selection->rows, dx);
}

// The branch of attention with norm1. The gradient of its output is in workspace.branch, that of s1 in ds1 or
// dx.
void EncoderLayer::backward_normed(const Pass& pass, const Tensor& x,
                                   const std::optional<RowSelection>& selection, Saved& saved,
                                   Workspace& workspace, Params& gradients, Tensor& dx) const {
  Context& context = pass.context;
  Pass whole = pass;
  whole.below = Pass::Below::learns;  // norm1 does
  const Rows rows = rows_of(pass, x, selection, saved);
  Tensor &dnormed = workspace.ds, &dqueries = selection ? workspace.dnormed_rows : dnormed;
  clear(context, rows.queries.x_rows, dqueries);
  attention_.backward(whole, saved.normed, rows.queries, saved.attention, workspace.branch,
                      workspace.attention_backward, gradients, dnormed, dqueries);
  if (selection) add_rows(context, dqueries, selection->rows, dnormed);
  norm1_->backward(pass, x, dnormed, dnormed, gradients);
  if (pass.below == Pass::Below::frozen) return;
  if (!selection) return add(context, dnormed, dx);
  std::swap(dnormed, dx);
  add_rows(context, workspace.ds1, selection->rows, dx);
}

void gather_rows(Context& context, const Tensor& x, std::span<const int64_t> rows, Tensor& y) {
  y.reshape(rows.size(), x.cols());
  for_rows(context, rows, [&](int64_t i, int64_t row) { std::ranges::copy(x.values(row), y.row(i)); });
}

void add(Context& context, const Tensor& x, Tensor& y) {
  context.pool().run_grid(x.rows(),
                          [&](int64_t row, int) { context.kernels().add(x.cols(), x.row(row), y.row(row)); });
}

void add_rows(Context& context, const Tensor& x, std::span<const int64_t> rows, Tensor& y) {
  for_rows(context, rows,
           [&](int64_t i, int64_t row) { context.kernels().add(x.cols(), x.row(i), y.row(row)); });
}

}  // namespace bert::nn
