#include <algorithm>

#include "nn/attention.h"

// Normalized queries and keys in attention.

namespace bert::nn {
namespace {

void copy_columns(Context& context, const Tensor& from, int64_t from_column, int64_t count, Tensor& to,
                  int64_t to_column) {
  context.pool().run_grid(from.rows(), [&](int64_t row, int) {
    std::copy_n(from.row(row) + from_column, count, to.row(row) + to_column);
  });
}

}  // namespace

void Attention::normalize(const Pass& pass, const std::optional<LayerNorm>& norm, int64_t column, Tensor& x,
                          Tensor& raw, Tensor& normed) const {
  if (!norm) return;
  raw.reshape(x.rows(), hidden_);
  copy_columns(pass.context, x, column, hidden_, raw, 0);
  norm->forward(pass, {}, raw, nullptr, raw, normed);
  copy_columns(pass.context, normed, 0, hidden_, x, column);
}

void Attention::normalize_all(const Pass& pass, Tensor& qk) const {
  Tensor raw, normed;
  normalize(pass, query_norm_, 0, qk, raw, normed);
  normalize(pass, key_norm_, query_.width(), qk, raw, normed);
}

void Attention::normalize_backward(const Pass& pass, const std::optional<LayerNorm>& norm, int64_t column,
                                   Linear::Bias bias, const Tensor& raw, Tensor& d_raw, Params& gradients,
                                   Tensor& dx) const {
  if (!norm) return;
  d_raw.reshape(raw.rows(), hidden_);
  copy_columns(pass.context, dx, column, hidden_, d_raw, 0);
  norm->backward(pass, raw, d_raw, d_raw, gradients, bias);
  copy_columns(pass.context, d_raw, 0, hidden_, dx, column);
}

}  // namespace bert::nn
