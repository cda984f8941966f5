#include "nn/softmax_loss.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "nn/kernels.h"

namespace bert::nn {

Loss softmax_loss(Context& context, std::span<const int32_t> gold, float weight, Tensor& logits) {
  constexpr int64_t kRows = 8;  // a task's
  const int64_t rows = logits.rows();
  assert(static_cast<int64_t>(gold.size()) == rows);
  std::vector<SoftmaxResult> results(gold.size());
  context.pool().run_grid((rows + kRows - 1) / kRows, [&](int64_t i, int) {
    for (int64_t row = i * kRows; row < std::min(rows, (i + 1) * kRows); ++row) {
      const auto r = static_cast<size_t>(row);
      results[r] = kernels().softmax_gradient(logits.cols(), logits.row(row), gold[r], weight);
    }
  });
  Loss loss = {.count = rows};
  for (size_t r = 0; r < results.size(); ++r) {
    loss.sum += std::log(results[r].sum) - (static_cast<double>(results[r].gold) - results[r].max);
    loss.correct += results[r].best == gold[r];
  }
  return loss;
}

}  // namespace bert::nn
