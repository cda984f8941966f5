#include "nn/attention.h"

#include <array>
#include <cmath>

#include "nn/kernels.h"

namespace bert::nn {

Attention::Attention(const std::string& prefix, int64_t hidden, int64_t heads, Layout& layout,
                     const DropoutPlace& dropout)
    : hidden_(hidden),
      heads_(heads),
      dropout_(dropout),
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
  workspace.attended.reshape(q_offsets.back(), hidden_);
  context.pool().run_grid(sequences * heads_, [&](int64_t i, int thread) {
    const auto s = static_cast<size_t>(i / heads_);
    const int64_t column = i % heads_ * size, first = q_offsets[s], rows = q_offsets[s + 1] - first;
    if (rows == 0) return;
    const int64_t length = offsets[s + 1] - offsets[s];
    AttentionHead head = head_of(workspace.qkv, offsets[s], length, i % heads_);
    head.q = q.row(first) + column;
    head.q_stride = q.stride();
    head.rows = rows;
    head.out = workspace.attended.row(first) + column;
    head.out_stride = workspace.attended.stride();
    kernels().attend(head, context.scratch(thread, attention_scratch(length, size)));
  });
}

void Attention::forward(const Pass& pass, const Tensor& x, Saved& saved, Tensor& y) const {
  const std::array<const Linear*, 3> linears = {&query_, &key_, &value_};
  saved.qkv.reshape(x.rows(), 3 * query_.width());
  forward_beside(pass.context, pass.weights, x, linears, 0, saved.qkv);
  saved.attended.reshape(x.rows(), hidden_);
  const int64_t sequences = static_cast<int64_t>(pass.offsets.size()) - 1, size = hidden_ / heads_;
  pass.context.pool().run_grid(sequences * heads_, [&](int64_t i, int thread) {
    const auto s = static_cast<size_t>(i / heads_);
    const int64_t first = pass.offsets[s], length = pass.offsets[s + 1] - first;
    AttentionHead head = head_of(saved.qkv, first, length, i % heads_);
    head.out = saved.attended.row(first) + i % heads_ * size;
    head.out_stride = saved.attended.stride();
    training_kernels().attend(head, dropped(pass, i / heads_, i % heads_),
                              pass.context.scratch(thread, attention_training_scratch(length, size)));
  });
  output_.forward(pass.context, pass.weights, saved.attended, Activation::none, y);
}

// forward:  q, k, v = x·Wᵀ + b of each   attended = heads(q, k, v)   y = attended·Wₒᵀ + bₒ
// so        d_attended = dy·Wₒ   dq, dk, dv of each head by the kernel   dx = dq·W_q + dk·W_k + dv·W_v
void Attention::backward(const Pass& pass, const Tensor& x, const Saved& saved, const Tensor& dy,
                         BackwardWorkspace& workspace, Params& gradients, Into into, Tensor& dx) const {
  auto& [dqkv, d_attended] = workspace;
  output_.backward_weights(pass.context, saved.attended, dy, 0, gradients);
  output_.backward_input(pass.context, pass.weights, dy, 0, Into::replace, d_attended);
  dqkv.reshape(saved.qkv.rows(), saved.qkv.cols());
  const int64_t sequences = static_cast<int64_t>(pass.offsets.size()) - 1, size = hidden_ / heads_;
  pass.context.pool().run_grid(sequences * heads_, [&](int64_t i, int thread) {
    const auto s = static_cast<size_t>(i / heads_);
    const int64_t first = pass.offsets[s], length = pass.offsets[s + 1] - first, column = i % heads_ * size;
    float* const dq = dqkv.row(first) + column;
    const AttentionHeadGradient gradient = {.head = head_of(saved.qkv, first, length, i % heads_),
                                            .dropped = dropped(pass, i / heads_, i % heads_),
                                            .dout = d_attended.row(first) + column,
                                            .dout_stride = d_attended.stride(),
                                            .dq = dq,
                                            .dk = dq + query_.width(),
                                            .dv = dq + 2 * query_.width(),
                                            .dqkv_stride = dqkv.stride()};
    training_kernels().attend_backward(
        gradient, pass.context.scratch(thread, attention_training_scratch(length, size)));
  });
  int64_t column = 0;
  for (const Linear* linear : {&query_, &key_, &value_}) {
    // The bias of the keys adds the same q·b to all scores of a query, which softmax does not see: its
    // gradient is 0. Summing dk would give the rounding errors in its place.
    const auto bias = linear == &key_ ? Linear::Bias::no : Linear::Bias::yes;
    linear->backward_weights(pass.context, x, dqkv, column, gradients, bias);
    linear->backward_input(pass.context, pass.weights, dqkv, column, column == 0 ? into : Into::add, dx);
    column += query_.width();
  }
}

// All queries of one head of a sequence of `length` tokens from row `first`; where its output goes is not
// said.
AttentionHead Attention::head_of(const Tensor& qkv, int64_t first, int64_t length, int64_t head) const {
  const int64_t size = hidden_ / heads_;
  const float* const q = qkv.row(first) + head * size;
  return {.q = q,
          .q_stride = qkv.stride(),
          .rows = length,
          .k = q + query_.width(),
          .v = q + 2 * query_.width(),
          .kv_stride = qkv.stride(),
          .length = length,
          .size = size,
          .scale = 1.0f / std::sqrt(static_cast<float>(size)),
          .out = nullptr,
          .out_stride = 0};
}

DroppedProbabilities Attention::dropped(const Pass& pass, int64_t sequence, int64_t head) const {
  if (pass.chance == nullptr || !dropout_.rate.active()) return {};
  const uint64_t place = pass.chance->first_sequence + static_cast<uint64_t>(sequence);
  return {.key = dropout_key(*pass.chance, place, dropout_.layer, dropout_.site, static_cast<uint64_t>(head)),
          .rate = dropout_.rate};
}

}  // namespace bert::nn
