#include "nn/first_rows.h"

#include <algorithm>
#include <vector>

namespace bert::nn {

// The first row is the last one to change.
void add_first_rows(Context& context, std::span<const int64_t> offsets, Tensor& x) {
  context.pool().run_grid(std::ssize(offsets) - 1, [&](int64_t i, int) {
    const int64_t begin = offsets[i];
    for (int64_t row = offsets[i + 1]; row-- > begin;)
      context.kernels().add(x.cols(), x.row(begin), x.row(row));
  });
}

// forward:  y[m] = x[m] + x[first]
// so        dx[m] = dy[m]   dx[first] = dy[first] + Σ_m dy[m], the first row included
void add_first_rows_backward(Context& context, std::span<const int64_t> offsets, Tensor& dy) {
  context.pool().run_grid(std::ssize(offsets) - 1, [&](int64_t i, int) {
    const int64_t begin = offsets[i];
    if (begin == offsets[i + 1]) return;
    const auto first = dy.values(begin);
    std::vector<float> sum(first.begin(), first.end());
    for (int64_t row = begin; row < offsets[i + 1]; ++row)
      context.kernels().add(dy.cols(), dy.row(row), sum.data());
    std::ranges::copy(sum, dy.row(begin));
  });
}

}  // namespace bert::nn
