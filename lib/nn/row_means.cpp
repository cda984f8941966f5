#include "nn/row_means.h"

#include <algorithm>

namespace bert::nn {

void mean_rows(Context& context, const Tensor& x, std::span<const RowRange> ranges, Tensor& y) {
  y.reshape(ranges.size(), x.cols());
  context.pool().run_grid(ranges.size(), [&](int64_t i, int) {
    const auto [begin, end] = ranges[i];
    float* const mean = y.row(i);
    std::fill_n(mean, x.cols(), 0.0f);
    for (int64_t row = begin; row < end; ++row) context.kernels().add(x.cols(), x.row(row), mean);
    for (int64_t column = 0; column < x.cols(); ++column) mean[column] /= static_cast<float>(end - begin);
  });
}

void mean_rows_backward(Context& context, const Tensor& dy, std::span<const RowRange> ranges, Tensor& dx) {
  context.pool().run_grid(ranges.size(), [&](int64_t i, int) {
    const auto [begin, end] = ranges[i];
    for (int64_t row = begin; row < end; ++row)
      for (int64_t column = 0; column < dy.cols(); ++column)
        dx.row(row)[column] += dy.row(i)[column] / static_cast<float>(end - begin);
  });
}

}  // namespace bert::nn
