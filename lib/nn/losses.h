// What training goes down. Each takes a layer's outputs, adds up their loss, and puts in their place the
// gradient of weight·loss by them; zeros stand behind the columns.
#pragma once

#include <cstdint>
#include <span>

#include "nn/context.h"
#include "nn/tensor.h"

namespace bert::nn {

// Sums over predictions, so that parts of a step add up.
struct Loss {
  double sum = 0;       // each times its weight where weights are given
  int64_t correct = 0;  // of classes: where the right one has the highest logit, or is the first of equals
  int64_t count = 0;    // predictions

  double mean() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
  double accuracy() const {
    return count == 0 ? 0 : static_cast<double>(correct) / static_cast<double>(count);
  }
  Loss& operator+=(const Loss& other) {
    sum += other.sum;
    correct += other.correct;
    count += other.count;
    return *this;
  }
};

// Cross-entropy: Σ_r -ln p[r, gold[r]] in nats, p = softmax(logits [R,C]) by rows. The gradient is
// weight·(p - [c = gold]).
Loss softmax_loss(Context& context, std::span<const int32_t> gold, float weight, Tensor& logits);

// The same where rows differ: row r has `lengths[r]` classes (empty: all columns), and its loss counts
// `importance[r]` times (empty: once) beside the weight of all.
struct SoftmaxRows {
  std::span<const int32_t> gold;
  std::span<const int64_t> lengths;
  std::span<const float> importance;
};
Loss softmax_loss(Context& context, const SoftmaxRows& rows, float weight, Tensor& logits);

// Cross-entropy down the columns, of what asks which row it is: rows [offsets[g], offsets[g+1]) of logits
// [R,C] are group g, and each of its columns is a softmax over them. gold [G·C], a group's one behind
// another, counts from the group's first row. Choices are one column, a group a question; the first and last
// tokens of answers are two columns, a group a window.
Loss place_loss(Context& context, std::span<const int64_t> offsets, std::span<const int32_t> gold,
                float weight, Tensor& logits);

// Squared error: Σ (y - target)² of y [R,1]. The gradient is weight·2(y - target).
Loss squared_loss(std::span<const float> targets, float weight, Tensor& y);

// Binary cross-entropy of independent labels: Σ_r Σ_c ln(1 + e^x) - target·x of x = logits [R,C] against
// targets [R·C], 0 or 1. The gradient is weight·(1/(1 + e^-x) - target). count is R·C, correct those on the
// right side of 0.
Loss logistic_loss(std::span<const float> targets, float weight, Tensor& logits);

}  // namespace bert::nn
