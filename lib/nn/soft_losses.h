// Losses against the probabilities of a teacher (soft labels), mixed with those against gold labels (Hinton
// et al. 2015, "Distilling the knowledge in a neural network"). As in nn/losses.h, they replace the outputs
// of a layer by the gradient of weight·loss.
//
// p are the teacher's probabilities, x the logits, T the temperature, S the share of the soft labels:
//
//   S T² KL(t || q) + (1 - S) · the loss against the gold label,  t = softmax(ln p / T), q = softmax(x / T)
//
// For independent labels t and q are each label's probability and its complement.
#pragma once

#include <span>

#include "nn/context.h"
#include "nn/losses.h"
#include "nn/tensor.h"

namespace bert::nn {

struct SoftTargets {
  std::span<const float> probabilities;  // [R·C]
  float share = 1;                       // from 0 to 1
  float temperature = 1;
};

// As softmax_loss and logistic_loss.
Loss soft_softmax_loss(Context& context, const SoftmaxRows& rows, const SoftTargets& soft, float weight,
                       Tensor& logits);
Loss soft_logistic_loss(std::span<const float> targets, const SoftTargets& soft, float weight,
                        Tensor& logits);

}  // namespace bert::nn
