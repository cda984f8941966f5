#include "nn/losses.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

namespace bert::nn {

Loss softmax_loss(Context& context, const SoftmaxRows& of, float weight, Tensor& logits) {
  constexpr int64_t kRows = 8;  // rows of a task
  const int64_t rows = logits.rows();
  assert(std::ssize(of.gold) == rows);
  const auto importance = [&](size_t row) { return of.importance.empty() ? 1.0f : of.importance[row]; };
  std::vector<SoftmaxResult> results(of.gold.size());
  context.pool().run_grid((rows + kRows - 1) / kRows, [&](int64_t i, int) {
    for (int64_t row = i * kRows; row < std::min(rows, (i + 1) * kRows); ++row) {
      const size_t r = row;
      const int64_t length = of.lengths.empty() ? logits.cols() : of.lengths[r];
      assert(of.gold[r] >= 0 && of.gold[r] < length && length <= logits.cols());
      results[r] =
          context.kernels().softmax_gradient(length, logits.row(row), of.gold[r], weight * importance(r));
      std::fill(logits.row(row) + length, logits.row(row) + logits.stride(), 0.0f);
    }
  });
  Loss loss = {.count = rows};
  for (size_t r = 0; r < results.size(); ++r) {
    const double nats = std::log(results[r].sum) - (static_cast<double>(results[r].gold) - results[r].max);
    loss.sum += importance(r) * nats;
    loss.correct += results[r].best == of.gold[r];
  }
  return loss;
}

Loss place_loss(Context& context, std::span<const int64_t> offsets, std::span<const int32_t> gold,
                float weight, Tensor& logits) {
  assert(offsets.front() == 0 && offsets.back() == logits.rows());
  const auto groups = static_cast<int64_t>(offsets.size()) - 1, cols = logits.cols();
  std::vector<int64_t> lengths;  // of the columns, each of which becomes a row
  for (size_t g = 0; g + 1 < offsets.size(); ++g)
    lengths.insert(lengths.end(), cols, offsets[g + 1] - offsets[g]);
  Tensor columns(groups * cols, lengths.empty() ? 0 : std::ranges::max(lengths));
  const auto each = [&](auto visit) {
    for (int64_t i = 0; i < columns.rows(); ++i) {
      const int64_t first = offsets[i / cols];
      for (int64_t place = 0; place < lengths[i]; ++place)
        visit(columns.row(i)[place], logits.row(first + place)[i % cols]);
    }
  };
  each([](float& by_column, float by_row) { by_column = by_row; });
  const auto loss = softmax_loss(context, {.gold = gold, .lengths = lengths}, weight, columns);
  for (int64_t row = 0; row < logits.rows(); ++row)
    std::fill(logits.row(row), logits.row(row) + logits.stride(), 0.0f);
  each([](float by_column, float& by_row) { by_row = by_column; });
  return loss;
}

Loss squared_loss(std::span<const float> targets, float weight, Tensor& y) {
  assert(std::ssize(targets) == y.rows() && y.cols() == 1);
  Loss loss = {.count = y.rows()};
  for (int64_t row = 0; row < y.rows(); ++row) {
    float* const at = y.row(row);
    const float difference = at[0] - targets[row];
    loss.sum += static_cast<double>(difference) * difference;
    std::fill(at, at + y.stride(), 0.0f);
    at[0] = weight * 2 * difference;
  }
  return loss;
}

Loss logistic_loss(std::span<const float> targets, float weight, Tensor& logits) {
  const int64_t cols = logits.cols();
  assert(std::ssize(targets) == logits.rows() * cols);
  Loss loss = {.count = logits.rows() * cols};
  for (int64_t row = 0; row < logits.rows(); ++row) {
    float* const at = logits.row(row);
    for (int64_t c = 0; c < cols; ++c) {
      const double x = at[c], target = targets[row * cols + c];
      loss.sum += std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))) - target * x;
      loss.correct += (x > 0) == (target > 0.5);
      at[c] = static_cast<float>(weight * (1 / (1 + std::exp(-x)) - target));
    }
    std::fill(at + cols, at + logits.stride(), 0.0f);
  }
  return loss;
}

}  // namespace bert::nn
