// Cross-entropy of a softmax:   loss = Σ_r -ln p[r, gold[r]],   p = softmax(logits) by rows
#pragma once

#include <cstdint>
#include <span>

#include "nn/context.h"
#include "nn/tensor.h"

namespace bert::nn {

// Sums over predictions, so that parts of a step add up.
struct Loss {
  double sum = 0;       // of -ln p[gold], in nats
  int64_t correct = 0;  // where gold has the highest logit, or is the first of equals
  int64_t count = 0;

  Loss& operator+=(const Loss& other) {
    sum += other.sum;
    correct += other.correct;
    count += other.count;
    return *this;
  }
};

// The loss of logits [R,C] against gold [R], classes in [0,C). The logits become the gradient of weight·loss
// by them: weight·(p - [c = gold]), with zeros behind the C columns.
Loss softmax_loss(Context& context, std::span<const int32_t> gold, float weight, Tensor& logits);

}  // namespace bert::nn
