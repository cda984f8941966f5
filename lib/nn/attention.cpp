#include "nn/attention.h"

#include <array>
#include <cmath>

#include "nn/kernels.h"

namespace bert::nn {

Attention::Attention(const std::string& prefix, int64_t hidden, int64_t heads, Layout& layout)
    : hidden_(hidden),
      heads_(heads),
      query_(prefix + ".self.query", hidden, hidden, layout),
      key_(prefix + ".self.key", hidden, hidden, layout),
      value_(prefix + ".self.value", hidden, hidden, layout),
      output_(prefix + ".output.dense", hidden, hidden, layout) {}

void Attention::forward(Context& context, const Weights& weights, std::span<const int64_t> offsets,
                        const Tensor& x, Workspace& workspace, Tensor& y) const {
  const std::array<const Linear*, 3> linears = {&query_, &key_, &value_};
  workspace.qkv.reshape(x.rows(), 3 * query_.width());
  forward_beside(context, weights, x, linears, 0, workspace.qkv);
  attend(context, offsets, workspace.qkv, offsets, workspace);
  output_.forward(context, weights, workspace.attended, Activation::none, y);
}

void Attention::forward_rows(Context& context, const Weights& weights, std::span<const int64_t> offsets,
                             const Tensor& x, const RowSelection& selection, const Tensor& x_rows,
                             Workspace& workspace, Tensor& y) const {
  const std::array<const Linear*, 2> linears = {&key_, &value_};
  workspace.qkv.reshape(x.rows(), 3 * query_.width());
  forward_beside(context, weights, x, linears, query_.width(), workspace.qkv);
  query_.forward(context, weights, x_rows, Activation::none, workspace.q);
  attend(context, offsets, workspace.q, selection.offsets, workspace);
  output_.forward(context, weights, workspace.attended, Activation::none, y);
}

// One task is one head of one sequence.
void Attention::attend(Context& context, std::span<const int64_t> offsets, const Tensor& q,
                       std::span<const int64_t> q_offsets, Workspace& workspace) const {
  const int64_t sequences = static_cast<int64_t>(offsets.size()) - 1, size = hidden_ / heads_;
  const Tensor& qkv = workspace.qkv;
  workspace.attended.reshape(q_offsets.back(), hidden_);
  context.pool().run_grid(sequences * heads_, [&](int64_t i, int thread) {
    const auto s = static_cast<size_t>(i / heads_);
    const int64_t column = i % heads_ * size, first = q_offsets[s], rows = q_offsets[s + 1] - first;
    if (rows == 0) return;
    const float* keys = qkv.row(offsets[s]) + query_.width() + column;
    const int64_t length = offsets[s + 1] - offsets[s];
    const AttentionHead head = {.q = q.row(first) + column,
                                .q_stride = q.stride(),
                                .rows = rows,
                                .k = keys,
                                .v = keys + query_.width(),
                                .kv_stride = qkv.stride(),
                                .length = length,
                                .size = size,
                                .scale = 1.0f / std::sqrt(static_cast<float>(size)),
                                .out = workspace.attended.row(first) + column,
                                .out_stride = workspace.attended.stride()};
    kernels().attend(head, context.scratch(thread, attention_scratch(length, size)));
  });
}

}  // namespace bert::nn
