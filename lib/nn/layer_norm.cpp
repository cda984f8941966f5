#include "nn/layer_norm.h"

#include <algorithm>

#include "nn/kernels.h"

namespace bert::nn {

LayerNorm::LayerNorm(std::string_view prefix, int64_t hidden, float epsilon, Layout& layout)
    : gain_(layout.add_plain(std::string(prefix) + ".weight", {hidden})),
      bias_(layout.add_plain(std::string(prefix) + ".bias", {hidden})),
      hidden_(hidden),
      epsilon_(epsilon) {}

void LayerNorm::forward(Context& context, const Weights& weights, const Tensor& x, const Tensor* residual,
                        Tensor& y) const {
  constexpr int64_t kRows = 16;  // a task's rows: some microseconds of work
  y.reshape(x.rows(), x.cols());
  const float *gain = weights.plain(gain_), *bias = weights.plain(bias_);
  context.pool().run_grid((x.rows() + kRows - 1) / kRows, [&](int64_t i, int) {
    for (int64_t row = i * kRows; row < std::min(x.rows(), (i + 1) * kRows); ++row) {
      const float* other = residual == nullptr ? nullptr : residual->row(row);
      kernels().layer_norm(hidden_, x.row(row), other, gain, bias, epsilon_, y.row(row));
    }
  });
}

void LayerNorm::forward_row(const Weights& weights, const float* x, float* y) const {
  kernels().layer_norm(hidden_, x, nullptr, weights.plain(gain_), weights.plain(bias_), epsilon_, y);
}

}  // namespace bert::nn
