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

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "nn/similarity_losses.h"
#include "nn/tensor.h"

namespace bert::nn {

// The loss of a text, and its gradient for the rating of each candidate.
struct Rated {
  double loss = 0;
  std::vector<double> gradient;
};

// The losses of a text, from the ratings s_k and the scores t_k.
Rated squared_margins(std::span<const double> ratings, std::span<const float> scores);
Rated divergence(std::span<const double> ratings, std::span<const float> scores, double temperature);

// ln softmax(x / temperature)
template <class Number>
std::vector<double> log_shares(std::span<const Number> x, double temperature) {
  const double most = std::ranges::max(x);
  double sum = 0;
  for (const double number : x) sum += std::exp((number - most) / temperature);
  std::vector<double> shares;
  for (const double number : x) shares.push_back((number - most) / temperature - std::log(sum));
  return shares;
}

// The loss of vectors x [S,d]: of unit length, unless Similarity is dot. Adds its gradient to dx, unless it
// is nullptr. Each group needs a negative and as many scores as candidates.
double add_rating_loss(const SimilarityOptions& options, std::span<const SimilarityGroup> groups,
                       const Tensor& x, Tensor* dx);

}  // namespace bert::nn
