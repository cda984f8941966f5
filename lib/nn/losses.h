// Loss functions. Each adds up the loss of a layer's outputs and replaces them by the gradient of
// weight·loss. Padding columns are set to zero.
#pragma once

#include <cstdint>
#include <span>

#include "nn/context.h"
#include "nn/tensor.h"

namespace bert::nn {

// Sums over predictions, so that parts of a step can be added.
struct Loss {
  double sum = 0;       // weighted if there are weights
  int64_t correct = 0;  // for classes: the gold class has the highest logit (first one on ties)
  int64_t count = 0;    // predictions

  double mean() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
  double accuracy() const { return count == 0 ? 0 : static_cast<double>(correct) / count; }
  Loss& operator+=(const Loss& other) {
    sum += other.sum;
    correct += other.correct;
    count += other.count;
    return *this;
  }
};

// Cross-entropy in nats: Σ_r -ln p[r, gold[r]], p = softmax(logits [R,C]) for each row. The gradient is
// weight·(p - [c = gold]). Row r has `lengths[r]` classes (empty: all columns), and its loss is multiplied by
// `importance[r]` (empty: 1) in addition to weight.
struct SoftmaxRows {
  std::span<const int32_t> gold;
  std::span<const int64_t> lengths = {};
  std::span<const float> importance = {};
};
Loss softmax_loss(Context& context, const SoftmaxRows& rows, float weight, Tensor& logits);

// Cross-entropy over rows. Rows [offsets[g], offsets[g+1]) of logits [R,C] are group g, and each column of a
// group has a softmax over its rows. gold [G·C], in order of groups, counts rows from the group's first.
// choose has one column and one group for each question; answer has two columns, for the first and last
// token, and one group for each window.
Loss place_loss(Context& context, std::span<const int64_t> offsets, std::span<const int32_t> gold,
                float weight, Tensor& logits);

// Squared error: Σ (y - target)² of y [R,1]. The gradient is weight·2(y - target).
Loss squared_loss(std::span<const float> targets, float weight, Tensor& y);

// Binary cross-entropy of independent labels: Σ_r Σ_c ln(1 + e^x) - target·x with x = logits [R,C] and
// targets [R·C], 0 or 1. The gradient is weight·(1/(1 + e^-x) - target). count is R·C; correct counts logits
// with the right sign.
Loss logistic_loss(std::span<const float> targets, float weight, Tensor& logits);

}  // namespace bert::nn
