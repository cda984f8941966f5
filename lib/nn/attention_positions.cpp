#include <algorithm>

#include "nn/attention.h"
#include "nn/blocks.h"

// Relative positions in attention.

namespace bert::nn {

std::optional<Linear> Attention::own_layer(const Config& config, bool RelativePositionConfig::*term,
                                           const std::string& name, Layout& layout) {
  if (!config.positions || !config.positions->own_layers || !(*config.positions.*term)) return std::nullopt;
  return std::optional<Linear>(std::in_place, name, config.hidden, config.hidden, layout);
}

Linear::Bias Attention::key_bias(const Pass& pass) const {
  const bool compared = config_.positions && config_.positions->queries;
  return pass.dprojected != nullptr || config_.rotations || compared ? Linear::Bias::yes : Linear::Bias::no;
}

// Rows of the table have the same mask in the whole step.
void Attention::drop_positions(const Pass& pass, const Tensor& x, Tensor& y) const {
  constexpr uint64_t kNoSequence = UINT64_MAX;
  const DropoutRate rate(pass.dropout_seed == nullptr ? 0 : config_.position_dropout);
  DropoutKey key;
  if (rate.active()) key = dropout_key(*pass.dropout_seed, kNoSequence, dropout_.layer, dropout_.site);
  y.reshape(x.rows(), x.cols());
  pass.context.pool().run_grid(x.rows(), [&](int64_t row, int) {
    const auto number = static_cast<uint32_t>(pass.positions->first + row);
    pass.context.kernels().drop(x.cols(), key, number, rate, x.row(row), nullptr, y.row(row));
  });
}

void Attention::project_positions(const Pass& pass, ProjectedPositions& positions) const {
  drop_positions(pass, pass.positions->rows, positions.rows);
  if (config_.positions->keys)
    position_keys().forward(pass.context, pass.weights, positions.rows, Activation::none, positions.keys);
  if (config_.positions->queries)
    position_queries().forward(pass.context, pass.weights, positions.rows, Activation::none,
                               positions.queries);
}

const ProjectedPositions* Attention::positions_of(const Pass& pass, ProjectedPositions& scratch) const {
  if (!config_.positions) return nullptr;
  if (!pass.projected_positions.empty()) return &pass.projected_positions[config_.layer];
  project_positions(pass, scratch);
  return &scratch;
}

RelativeRows Attention::rows_of(const Pass& pass, const ProjectedPositions& positions, int64_t length,
                                int64_t head) const {
  const int32_t* const row_of = pass.positions->center();
  const int64_t first = row_of[length - 1], last = row_of[1 - length], column = head * (hidden_ / heads_);
  const auto part = [&](bool term, const Tensor& x) { return term ? x.row(first) + column : nullptr; };
  return {.keys = part(config_.positions->keys, positions.keys),
          .queries = part(config_.positions->queries, positions.queries),
          .stride = round_up(hidden_, Tensor::kColumns),
          .first = first,
          .rows = last - first + 1,
          .row_of = row_of};
}

// forward:  keys = W_k·rows + b_k   queries = W_q·rows + b_q
//
// b_k adds the same number to all scores of a query, so its gradient is 0.
void Attention::backward_positions(const Pass& pass, const Saved& saved, BackwardWorkspace& workspace,
                                   Params& gradients) const {
  Context& context = pass.context;
  const auto& terms = *config_.positions;
  auto& sum = workspace.dpositions.front();
  Tensor &drows = sum.rows, &dkeys = sum.keys, &dqueries = sum.queries;
  const auto groups = std::min<size_t>(workspace.dpositions.size(), pass.offsets.size() - 1);
  context.pool().run_grid(dkeys.rows(), [&](int64_t row, int) {
    for (size_t i = 1; i < groups; ++i) {
      context.kernels().add(hidden_, workspace.dpositions[i].keys.row(row), dkeys.row(row));
      context.kernels().add(hidden_, workspace.dpositions[i].queries.row(row), dqueries.row(row));
    }
  });
  const auto& rows = saved.positions.rows;
  if (terms.keys)
    position_keys().backward_weights(context, pass.weights, rows, dkeys, 0, gradients, Linear::Bias::no);
  if (terms.queries) position_queries().backward_weights(context, pass.weights, rows, dqueries, 0, gradients);
  if (pass.dpositions == nullptr) return;
  if (terms.keys) position_keys().backward_input(context, pass.weights, dkeys, 0, Into::replace, drows);
  if (terms.queries)
    position_queries().backward_input(context, pass.weights, dqueries, 0,
                                      terms.keys ? Into::add : Into::replace, drows);
  drop_positions(pass, drows, dqueries);
  context.pool().run_grid(drows.rows(), [&](int64_t row, int) {
    context.kernels().add(hidden_, dqueries.row(row), pass.dpositions->row(row));
  });
}

// Zeros for gradients of the table's rows.
void Attention::clear_positions(Context& context, const PositionTable& table, int64_t count,
                                std::vector<ProjectedPositions>& gradients) {
  if (std::ssize(gradients) < count) gradients.resize(count);
  const int64_t rows = table.rows.rows(), cols = table.rows.cols();
  for (int64_t i = 0; i < count; ++i) {
    gradients[i].keys.reshape(rows, cols);
    gradients[i].queries.reshape(rows, cols);
  }
  context.pool().run_grid(count * rows, [&](int64_t i, int) {
    auto& [dropped, keys, queries] = gradients[i / rows];
    std::fill_n(keys.row(i % rows), keys.cols(), 0.0f);
    std::fill_n(queries.row(i % rows), queries.cols(), 0.0f);
  });
}

}  // namespace bert::nn
