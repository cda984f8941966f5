#include "nn/attention.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <utility>

#include "nn/batch.h"
#include "nn/row_parts.h"

namespace bert::nn {
namespace {

int64_t scratch_of(const AttentionHead& head) {
  return attention_scratch(head.length, head.size, head.relative.rows);
}

std::optional<LayerNorm> own_norm(const Attention::Config& config, const std::string& name, Layout& layout) {
  if (!config.norm_epsilon) return std::nullopt;
  return std::optional<LayerNorm>(std::in_place, name, config.hidden, *config.norm_epsilon, layout);
}

// Linear::forward_beside by parts of the rows.
void project_beside(const Pass& pass, const Tensor& x, std::span<const Linear* const> linears, int64_t column,
                    Linear::Form form, int64_t parts, Tensor& y) {
  if (parts == 1) return Linear::forward_beside(pass.context, pass.weights, x, linears, column, form, y);
  for_parts_of_rows(pass, parts, x.rows(), [&](const Pass& alone, const RowPart& part) {
    Tensor of_y = y.part(part.first, part.rows);
    Linear::forward_beside(alone.context, alone.weights, x.part(part.first, part.rows), linears, column, form,
                           of_y);
  });
}

}  // namespace

Attention::Attention(const std::string& prefix, const Config& config, Layout& layout,
                     const DropoutPlace& dropout)
    : config_(config),
      hidden_(config.hidden),
      heads_(config.heads),
      dropout_(dropout),
      query_(prefix + ".self.query", hidden_, hidden_, layout, config.bias),
      key_(prefix + ".self.key", hidden_, hidden_, layout, config.bias),
      value_(prefix + ".self.value", hidden_, hidden_, layout, config.bias),
      position_key_(own_layer(config, &RelativePositionConfig::keys, prefix + ".self.pos_key_proj", layout)),
      position_query_(
          own_layer(config, &RelativePositionConfig::queries, prefix + ".self.pos_query_proj", layout)),
      query_norm_(own_norm(config, prefix + ".self.query.LayerNorm", layout)),
      key_norm_(own_norm(config, prefix + ".self.key.LayerNorm", layout)),
      output_(prefix + ".output.dense", hidden_, hidden_, layout, config.output_bias) {}

bool Attention::is_masked(const Pass& pass, int64_t sequence) const {
  return config_.causal || config_.window || (!pass.seen.empty() && pass.seen[sequence] != Batch::kAll);
}

KeyRange Attention::seen_by(const Pass& pass, int64_t sequence, int64_t position) const {
  int64_t begin = 0, end = pass.offsets[sequence + 1] - pass.offsets[sequence];
  if (!pass.seen.empty() && pass.seen[sequence] != Batch::kAll) end = pass.seen[sequence];
  if (config_.causal) end = std::min(end, position + 1);
  if (config_.window) {
    begin = std::max<int64_t>(0, position - *config_.window);
    end = std::min(end, position + *config_.window + 1);
  }
  return {begin, end};
}

void Attention::turn(const Pass& pass, const Turned& rows, float sign, Tensor& x) const {
  if (!config_.rotations) return;
  const auto [sequence, first, last, positions, column, heads] = rows;
  const int64_t begin = pass.offsets[sequence], length = pass.offsets[sequence + 1] - begin;
  const auto turn = pass.rotations[*config_.rotations].of(length);
  for (int64_t row = first; row < last; ++row)
    turn(pass.context.kernels(), (positions.empty() ? row : positions[row]) - begin, heads, hidden_ / heads_,
         sign, x.row(row) + column);
}

void Attention::turn_all(const Pass& pass, float sign, Tensor& qkv) const {
  if (!config_.rotations) return;
  pass.context.pool().run_grid(2 * (std::ssize(pass.offsets) - 1), [&](int64_t i, int) {
    const int64_t sequence = i / 2;
    turn(pass,
         {.sequence = sequence,
          .first = pass.offsets[sequence],
          .last = pass.offsets[sequence + 1],
          .positions = {},
          .column = i % 2 * query_.width(),
          .heads = heads_},
         sign, qkv);
  });
}

// q and its gradient are the first columns of qkv and its gradient, or separate tensors if only some rows are
// queries. One task for each head of each sequence.
void Attention::forward(const Pass& pass, const Tensor& x, const Queries& queries, int64_t parts,
                        Saved& saved) const {
  const bool all = &queries.x_rows == &x;
  const std::array<const Linear*, 3> linears = {&query_, &key_, &value_};
  const auto* const relative = positions_of(pass, saved.positions);
  const auto attend = kernel_of(pass, relative);
  const bool in_pairs = takes_pairs(pass, attend);
  const auto form = in_pairs ? Linear::Form::pairs : Linear::Form::floats;
  const int64_t floats = in_pairs ? query_.width() / 2 : query_.width();
  saved.qkv.reshape(x.rows(), 3 * floats);
  if (all) {
    project_beside(pass, x, linears, 0, form, parts, saved.qkv);
  } else {
    project_beside(pass, x, std::span(linears).subspan(1), query_.width(), form, parts, saved.qkv);
    saved.q.reshape(queries.x_rows.rows(), floats);
    project_beside(pass, queries.x_rows, std::span(linears).first(1), 0, form, 1, saved.q);
  }
  Tensor& q = all ? saved.qkv : saved.q;
  normalize(pass, query_norm_, 0, q, saved.raw_queries, saved.normed);
  normalize(pass, key_norm_, query_.width(), saved.qkv, saved.raw_keys, saved.normed);
  saved.attended.reshape(queries.x_rows.rows(), hidden_);
  Heads heads = heads_of(pass, q, saved.qkv, queries, relative);
  heads.in_pairs = in_pairs;
  const int64_t sequences = std::ssize(pass.offsets) - 1, size = hidden_ / heads_;
  const int64_t count = sequences * heads_;
  pass.context.pool().run_grid(count, [&](int64_t i, int thread) {
    const int64_t sequence = i / heads_, column = i % heads_ * size;
    const int64_t later = std::min(i + pass.context.pool().size(), count - 1);
    AttentionHead head = head_of(pass, heads, sequence, i % heads_);
    if (head.rows == 0) return;
    const AttentionHead next = head_of(pass, heads, later / heads_, later % heads_);
    head.next = &next;
    turn(pass, {sequence, queries.offsets[sequence], queries.offsets[sequence + 1], queries.rows, column, 1},
         1, q);
    turn(pass, {sequence, pass.offsets[sequence], pass.offsets[sequence + 1], {}, query_.width() + column, 1},
         1, saved.qkv);
    head.out = saved.attended.row(queries.offsets[sequence]) + column;
    head.out_stride = saved.attended.stride();
    attend(head, dropped(pass, sequence, i % heads_), pass.context.scratch(thread, scratch_of(head)));
  });
}

// forward:  q, k, v = x·Wᵀ + b of each   attended = heads(q, k, v)   y = attended·Wₒᵀ + bₒ
// so        d_attended = dy·Wₒ   dq, dk, dv of each head by the kernel   dx = dq·W_q + dk·W_k + dv·W_v
//
// The key bias adds the same q·b to all scores of a query, which does not change the softmax, so its gradient
// is 0, unless another loss reads the keys, they are turned by their positions or compared with queries of
// relative positions. Summing dk would give rounding errors instead. Where keys are normalized, this is so of
// the bias of the normalization.
void Attention::backward(const Pass& pass, const Tensor& x, const Queries& queries, const Saved& saved,
                         const Tensor& dy, BackwardWorkspace& workspace, Params& gradients, Tensor& dx,
                         Tensor& dx_rows) const {
  Context& context = pass.context;
  const Weights& weights = pass.weights;
  const bool all = &queries.x_rows == &x;
  Tensor &dqkv = workspace.dqkv, &dq = all ? dqkv : workspace.dq;
  const int64_t width = query_.width();
  output_.backward_weights(context, weights, saved.attended, dy, 0, gradients);
  output_.backward_input(context, weights, dy, 0, Into::replace, workspace.d_attended);
  dqkv.reshape(saved.qkv.rows(), saved.qkv.cols());
  if (!all) dq.reshape(queries.x_rows.rows(), hidden_);
  attend_backward(pass, all ? saved.qkv : saved.q, queries, saved, workspace, dq);
  if (pass.dprojected != nullptr) {
    assert(all);
    context.pool().run_grid(dqkv.rows(), [&](int64_t row, int) {
      context.kernels().add(dqkv.cols(), pass.dprojected->row(row), dqkv.row(row));
    });
  }
  turn_back(pass, queries, dqkv, dq);
  constexpr auto kBias = Linear::Bias::yes;
  const auto last_bias = key_bias(pass);
  normalize_backward(pass, query_norm_, 0, kBias, saved.raw_queries, workspace.d_raw, gradients, dq);
  normalize_backward(pass, key_norm_, width, last_bias, saved.raw_keys, workspace.d_raw, gradients, dqkv);
  query_.backward_weights(context, weights, queries.x_rows, dq, 0, gradients);
  key_.backward_weights(context, weights, x, dqkv, width, gradients, key_norm_ ? kBias : last_bias);
  value_.backward_weights(context, weights, x, dqkv, 2 * width, gradients);
  if (config_.positions) backward_positions(pass, saved, workspace, gradients);
  if (pass.below == Pass::Below::frozen) return;
  query_.backward_input(context, weights, dq, 0, Into::add, dx_rows);
  key_.backward_input(context, weights, dqkv, width, all ? Into::add : Into::replace, dx);
  value_.backward_input(context, weights, dqkv, 2 * width, Into::add, dx);
}

// One task for each head of each sequence, or of a group of them that adds up the gradients of relative
// positions: groups do not depend on threads, and their sums are added in order.
void Attention::attend_backward(const Pass& pass, const Tensor& q, const Queries& queries, const Saved& saved,
                                BackwardWorkspace& workspace, Tensor& dq) const {
  constexpr int64_t kMostGroups = 8;
  Tensor& dqkv = workspace.dqkv;
  workspace.dbias.assign(pass.dbias == nullptr ? 0 : 2 * heads_ * pass.offsets.back(), 0);
  const auto& q_offsets = queries.offsets;
  const Heads heads = heads_of(pass, q, saved.qkv, queries, config_.positions ? &saved.positions : nullptr);
  const int64_t sequences = std::ssize(pass.offsets) - 1, size = hidden_ / heads_;
  const int64_t groups = config_.positions ? std::min(kMostGroups, sequences) : sequences;
  if (config_.positions)
    clear_positions(pass.context, *pass.positions, std::max<int64_t>(1, groups), workspace.dpositions);
  const auto gradient_of = [&](int64_t sequence, int64_t head, int64_t group) -> AttentionHeadGradient {
    const int64_t column = head * size;
    const size_t s = sequence;
    float* const dk = dqkv.row(pass.offsets[s]) + query_.width() + column;
    AttentionHeadGradient gradient = {
        .head = head_of(pass, heads, sequence, head),
        .dropped = dropped(pass, sequence, head),
        .dout = workspace.d_attended.row(q_offsets[s]) + column,
        .dout_stride = workspace.d_attended.stride(),
        .dq = dq.row(q_offsets[s]) + column,
        .dq_stride = dq.stride(),
        .dk = dk,
        .dv = dk + query_.width(),
        .dkv_stride = dqkv.stride(),
        .next = nullptr,
        .dbias = pass.dbias == nullptr ? nullptr : dbias_of(pass, workspace, sequence, head)};
    if (!config_.positions) return gradient;
    auto& dpositions = workspace.dpositions[group];
    gradient.dposition_keys = dpositions.keys.row(gradient.head.relative.first) + column;
    gradient.dposition_queries = dpositions.queries.row(gradient.head.relative.first) + column;
    gradient.dposition_stride = dpositions.keys.stride();
    return gradient;
  };
  const int64_t count = groups * heads_;
  pass.context.pool().run_grid(count, [&](int64_t i, int thread) {
    const int64_t group = i / heads_, later = std::min(i + pass.context.pool().size(), count - 1);
    const auto next = gradient_of(later / heads_ * sequences / groups, later % heads_, later / heads_);
    for (int64_t s = group * sequences / groups; s < (group + 1) * sequences / groups; ++s) {
      auto gradient = gradient_of(s, i % heads_, group);
      gradient.next = &next;
      pass.context.kernels().attend_backward(gradient,
                                             pass.context.scratch(thread, scratch_of(gradient.head)));
    }
  });
  if (pass.dbias != nullptr) add_dbias(pass, workspace);
}

// The gradients of the queries and keys before they were turned.
void Attention::turn_back(const Pass& pass, const Queries& queries, Tensor& dqkv, Tensor& dq) const {
  if (!config_.rotations) return;
  pass.context.pool().run_grid(std::ssize(pass.offsets) - 1, [&](int64_t s, int) {
    turn(pass, {s, queries.offsets[s], queries.offsets[s + 1], queries.rows, 0, heads_}, -1, dq);
    turn(pass, {s, pass.offsets[s], pass.offsets[s + 1], {}, query_.width(), heads_}, -1, dqkv);
  });
}

float* Attention::dbias_of(const Pass& pass, BackwardWorkspace& workspace, int64_t sequence,
                           int64_t head) const {
  const size_t s = sequence;
  const int64_t begin = pass.offsets[s], length = pass.offsets[s + 1] - begin;
  return workspace.dbias.data() + 2 * (heads_ * begin + head * length) + length - 1;
}

void Attention::project(const Pass& pass, const Tensor& x, Tensor& qkv) const {
  const std::array<const Linear*, 3> linears = {&query_, &key_, &value_};
  qkv.reshape(x.rows(), 3 * query_.width());
  Linear::forward_beside(pass.context, pass.weights, x, linears, 0, Linear::Form::floats, qkv);
  normalize_all(pass, qkv);
  turn_all(pass, 1, qkv);
}

void Attention::project_backward(const Pass& pass, const Tensor& x, Tensor& dqkv, Linear::Bias key_bias,
                                 Params& gradients, Tensor& dx) const {
  Context& context = pass.context;
  const int64_t width = query_.width();
  turn_all(pass, -1, dqkv);
  if (query_norm_) {  // what was normalized is computed again
    const std::array<const Linear*, 2> linears = {&query_, &key_};
    Tensor qk(x.rows(), 2 * width), raw, normed, d_raw;
    Linear::forward_beside(context, pass.weights, x, linears, 0, Linear::Form::floats, qk);
    normalize(pass, query_norm_, 0, qk, raw, normed);
    normalize_backward(pass, query_norm_, 0, Linear::Bias::yes, raw, d_raw, gradients, dqkv);
    normalize(pass, key_norm_, width, qk, raw, normed);
    normalize_backward(pass, key_norm_, width, key_bias, raw, d_raw, gradients, dqkv);
    key_bias = Linear::Bias::yes;
  }
  query_.backward_weights(context, pass.weights, x, dqkv, 0, gradients);
  key_.backward_weights(context, pass.weights, x, dqkv, width, gradients, key_bias);
  value_.backward_weights(context, pass.weights, x, dqkv, 2 * width, gradients);
  if (pass.below == Pass::Below::frozen) return;
  query_.backward_input(context, pass.weights, dqkv, 0, Into::replace, dx);
  key_.backward_input(context, pass.weights, dqkv, width, Into::add, dx);
  value_.backward_input(context, pass.weights, dqkv, 2 * width, Into::add, dx);
}

// In the order of the sequences, so that the bits do not depend on threads.
void Attention::add_dbias(const Pass& pass, BackwardWorkspace& workspace) const {
  pass.context.pool().run_grid(heads_, [&](int64_t head, int) {
    double* const sums = pass.dbias->center(head);
    for (size_t s = 0; s + 1 < pass.offsets.size(); ++s) {
      const int64_t length = pass.offsets[s + 1] - pass.offsets[s];
      const float* const dbias = dbias_of(pass, workspace, s, head);
      for (int64_t distance = 1 - length; distance < length; ++distance) sums[distance] += dbias[distance];
    }
  });
}

Attention::Heads Attention::heads_of(const Pass& pass, const Tensor& q, const Tensor& qkv,
                                     const Queries& queries, const ProjectedPositions* relative) const {
  Heads heads = {.offsets = pass.offsets,
                 .q_offsets = queries.offsets,
                 .q = q,
                 .qkv = qkv,
                 .bias = pass.bias,
                 .relative = relative,
                 .positions = {},
                 .seen = {},
                 .in_pairs = false};
  const bool biased = (pass.bias != nullptr || relative != nullptr) && !queries.rows.empty();
  const bool masked = config_.causal || config_.window || !pass.seen.empty();
  for (int64_t s = 0; (masked || biased) && s + 1 < std::ssize(pass.offsets); ++s) {
    for (int64_t i = queries.offsets[s]; i < queries.offsets[s + 1]; ++i) {
      const int64_t position = (queries.rows.empty() ? i : queries.rows[i]) - pass.offsets[s];
      if (masked) heads.seen.push_back(seen_by(pass, s, position));
      if (biased) heads.positions.push_back(position);
    }
  }
  return heads;
}

// Backward computes the probabilities again, in f32.
decltype(Kernels::attend) Attention::kernel_of(const Pass& pass, const ProjectedPositions* relative) const {
  const Kernels& kernels = pass.context.kernels();
  const bool rounds = query_.dtype(pass.weights) != Dtype::f32 && !pass.keeps && relative == nullptr;
  return rounds && kernels.attend_bf16 != nullptr ? kernels.attend_bf16 : kernels.attend;
}

// Whether products round q, k and v as the kernel would, which halves what is written and read.
bool Attention::takes_pairs(const Pass& pass, decltype(Kernels::attend) kernel) const {
  constexpr int64_t kWhole = 16;
  return kernel == pass.context.kernels().attend_bf16 && !pass.keeps_projected && !config_.rotations &&
         !query_norm_ && hidden_ / heads_ % kWhole == 0;
}

double Attention::scale() const {
  const int64_t terms = config_.positions ? config_.positions->terms() : 1;
  return 1 / std::sqrt(static_cast<double>(hidden_ / heads_ * terms));
}

AttentionHead Attention::head_of(const Pass& pass, const Heads& heads, int64_t sequence, int64_t head) const {
  const size_t s = sequence;
  const auto& [offsets, q_offsets, q, qkv, bias, relative, positions, seen, in_pairs] = heads;
  const int64_t size = hidden_ / heads_, in_float = in_pairs ? 2 : 1, column = head * size / in_float,
                width = query_.width() / in_float;
  const float* const k = qkv.row(offsets[s]) + width + column;
  return {.q = q.row(q_offsets[s]) + column,
          .q_stride = q.stride(),
          .rows = q_offsets[s + 1] - q_offsets[s],
          .k = k,
          .v = k + width,
          .kv_stride = qkv.stride(),
          .length = offsets[s + 1] - offsets[s],
          .size = size,
          .scale = static_cast<float>(scale()),
          .out = nullptr,
          .out_stride = 0,
          .seen = is_masked(pass, sequence) ? seen.data() + q_offsets[s] : nullptr,
          .bias = bias == nullptr ? nullptr : bias->center(head),
          .positions = positions.empty() ? nullptr : positions.data() + q_offsets[s],
          .relative = relative == nullptr ? RelativeRows()
                                          : rows_of(pass, *relative, offsets[s + 1] - offsets[s], head),
          .in_pairs = in_pairs};
}

DroppedProbabilities Attention::dropped(const Pass& pass, int64_t sequence, int64_t head) const {
  if (pass.dropout_seed == nullptr || !dropout_.rate.active()) return {};
  const uint64_t place = pass.dropout_seed->number_of(sequence);
  return {.key = dropout_key(*pass.dropout_seed, place, dropout_.layer, dropout_.site, head),
          .rate = dropout_.rate};
}

}  // namespace bert::nn
