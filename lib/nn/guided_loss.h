// A loss of sentence vectors with a guide, a trained model whose vectors tell which in-batch negatives are
// false: GISTEmbedLoss of sentence-transformers (Solatorio 2024).
//
// a_i, p_i are the anchor and the positive of text i, n the negatives of all texts, c a candidate of text i
// and c' the same pair of texts seen by the guide:
//
//   gist   mean_i -ln softmax(s·cos(a_i, p_j), s·cos(a_i, a_j), s·cos(p_i, p_j), s·cos(a_i, n))[p_i]
//
// without the candidates c != p_i for which cos c' > cos(a'_i, p'_i) - margin, or, for a relative margin,
// > cos(a'_i, p'_i) - margin·|cos(a'_i, p'_i)|.
#pragma once

#include <span>

#include "nn/context.h"
#include "nn/similarity_losses.h"
#include "nn/tensor.h"

namespace bert::nn {

// The loss of unit vectors x [S,d]. Adds its gradient to dx, unless it is nullptr. Each group needs the
// guide's vectors of all its texts.
SimilarityResult add_guided_loss(Context& context, const SimilarityOptions& options,
                                 std::span<const SimilarityGroup> groups, const Tensor& x, Tensor* dx);

}  // namespace bert::nn
