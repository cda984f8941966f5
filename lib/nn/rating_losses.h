// Losses of sentence vectors that compare how a text's candidates are rated with the scores of a teacher,
// such as a cross-encoder: MarginMSELoss (Hofstätter et al. 2020) and DistillKLDivLoss of
// sentence-transformers.
//
// s_k is S·cos(a, c_k) or the dot product a·c_k of a text and its candidate k, t_k the teacher's score; k = 0
// is the positive, the others are negatives; T is the temperature:
//
//   margin_mse   the mean, over all negatives, of ((s_0 - s_k) - (t_0 - t_k))²
//   kl           the mean, over all texts, of T² KL(softmax(t / T) || softmax(s / T))
#pragma once

#include <span>

#include "nn/similarity_losses.h"
#include "nn/tensor.h"

namespace bert::nn {

// The loss of vectors x [S,d]: of unit length, unless Similarity is dot. Adds its gradient to dx, unless it
// is nullptr. Each group needs a negative and as many scores as candidates.
double add_rating_loss(const SimilarityOptions& options, std::span<const SimilarityGroup> groups,
                       const Tensor& x, Tensor* dx);

}  // namespace bert::nn
