#include "nn/encoder_layer.h"

#include <algorithm>

namespace bert::nn {

EncoderLayer::EncoderLayer(const std::string& prefix, const Config& config, Layout& layout)
    : activation_(config.activation),
      attention_(prefix + ".attention", config.hidden, config.heads, layout),
      norm1_(prefix + ".attention.output.LayerNorm", config.hidden, config.norm_epsilon, layout),
      inner_(prefix + ".intermediate.dense", config.feed_forward, config.hidden, layout),
      output_(prefix + ".output.dense", config.hidden, config.feed_forward, layout),
      norm2_(prefix + ".output.LayerNorm", config.hidden, config.norm_epsilon, layout) {}

void EncoderLayer::forward(Context& context, const Weights& weights, std::span<const int64_t> offsets,
                           const Tensor& x, Workspace& workspace, Tensor& z) const {
  attention_.forward(context, weights, offsets, x, workspace.attention, workspace.branch);
  finish(context, weights, x, workspace, z);
}

void EncoderLayer::forward_rows(Context& context, const Weights& weights, std::span<const int64_t> offsets,
                                const Tensor& x, const RowSelection& selection, Workspace& workspace,
                                Tensor& z) const {
  gather_rows(context, x, selection.rows, workspace.x_rows);
  attention_.forward_rows(context, weights, offsets, x, selection, workspace.x_rows, workspace.attention,
                          workspace.branch);
  finish(context, weights, workspace.x_rows, workspace, z);
}

// All that follows attention, whose output is workspace.branch, looks at each row by itself.
void EncoderLayer::finish(Context& context, const Weights& weights, const Tensor& x, Workspace& workspace,
                          Tensor& z) const {
  norm1_.forward(context, weights, workspace.branch, &x, workspace.y);
  inner_.forward(context, weights, workspace.y, activation_, workspace.inner);
  output_.forward(context, weights, workspace.inner, Activation::none, workspace.branch);
  norm2_.forward(context, weights, workspace.branch, &workspace.y, z);
}

void gather_rows(Context& context, const Tensor& x, std::span<const int64_t> rows, Tensor& y) {
  constexpr int64_t kRows = 64;
  const auto count = static_cast<int64_t>(rows.size());
  y.reshape(count, x.cols());
  context.pool().run_grid((count + kRows - 1) / kRows, [&](int64_t i, int) {
    for (int64_t row = i * kRows; row < std::min(count, (i + 1) * kRows); ++row) {
      std::ranges::copy(x.values(rows[static_cast<size_t>(row)]), y.row(row));
    }
  });
}

}  // namespace bert::nn
