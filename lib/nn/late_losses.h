// Losses of late interaction (model::LateInteraction): a text is a matrix of vectors, and S(a, c) = Σ over
// the vectors of the anchor a of the largest dot product with a vector of the candidate c.
//
//   ranking              mean_i -ln softmax_c(s·S(a_i, c))[p_i], c over all positives and negatives
//   margin_mse, kl       those of nn/rating_losses.h, of S itself
//
// The gradient of a maximum goes to the first vector that has it, as in PyTorch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nn/context.h"
#include "nn/similarity_losses.h"
#include "nn/tensor.h"

namespace bert::nn {

struct LateOptions {
  SimilarityOptions loss;   // ranking, margin_mse or kl, without `dims`
  bool unit_length = true;  // vectors are scaled to unit length first
  bool mean = false;        // S is divided by the number of the anchor's vectors
};

// The texts that the groups number, one after another: text t has the rows [offsets[t], offsets[t+1]) of
// vectors [R,W], at least one.
struct LateBatch {
  std::span<const SimilarityGroup> groups;  // from text 0, one after another
  std::span<const int64_t> offsets;
  const Tensor& vectors;
};

// Replaces `gradient` [R,W] by the loss's gradient, unless it is nullptr. There must be at least one group;
// for margin_mse and kl each has a score of each candidate.
SimilarityResult late_loss(Context& context, const LateOptions& options, const LateBatch& batch,
                           Tensor* gradient);

// S of each group's first two texts.
std::vector<double> late_scores(Context& context, const LateOptions& options, const LateBatch& batch);

// For each group, the number of candidates of all groups with a larger S than its own positive.
std::vector<int64_t> late_ranks(Context& context, const LateOptions& options, const LateBatch& batch);

}  // namespace bert::nn
