#include "nn/rating_losses.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "nn/dot.h"

namespace bert::nn {

Rated squared_margins(std::span<const double> ratings, std::span<const float> scores) {
  Rated rated = {.gradient = std::vector<double>(ratings.size())};
  for (size_t k = 1; k < ratings.size(); ++k) {
    const double error = (ratings[0] - ratings[k]) - (double{scores[0]} - scores[k]);
    rated.loss += error * error;
    rated.gradient[0] += 2 * error;
    rated.gradient[k] -= 2 * error;
  }
  return rated;
}

Rated divergence(std::span<const double> ratings, std::span<const float> scores, double temperature) {
  const auto log_p = log_shares(scores, temperature), log_q = log_shares(ratings, temperature);
  Rated rated;
  for (size_t k = 0; k < ratings.size(); ++k) {
    const double p = std::exp(log_p[k]);
    rated.loss += temperature * temperature * p * (log_p[k] - log_q[k]);
    rated.gradient.push_back(temperature * (std::exp(log_q[k]) - p));
  }
  return rated;
}

namespace {

void add_scaled_row(double scale, const float* x, int64_t n, float* y) {
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<float>(y[i] + scale * x[i]);
}

}  // namespace

double add_rating_loss(const SimilarityOptions& options, std::span<const SimilarityGroup> groups,
                       const Tensor& x, Tensor* dx) {
  const bool margins = options.loss == SimilarityLoss::margin_mse;
  const double scale = options.similarity == Similarity::dot ? 1 : options.scale;
  int64_t count = 0;  // of what the mean is over
  for (const auto& group : groups) count += margins ? group.end - group.begin - 2 : 1;
  const double weight = 1 / static_cast<double>(count);
  double loss = 0;
  for (const auto& group : groups) {
    const int64_t anchor = group.anchor(), first = group.positive();
    assert(std::ssize(group.scores) == group.end - first);
    std::vector<double> ratings;
    for (int64_t row = first; row < group.end; ++row)
      ratings.push_back(scale * dot(x.values(anchor), x.row(row)));
    const auto rated = margins ? squared_margins(ratings, group.scores)
                               : divergence(ratings, group.scores, options.temperature);
    loss += weight * rated.loss;
    for (int64_t row = first; dx != nullptr && row < group.end; ++row) {
      const double d = weight * scale * rated.gradient[row - first];
      add_scaled_row(d, x.row(row), x.cols(), dx->row(anchor));
      add_scaled_row(d, x.row(anchor), x.cols(), dx->row(row));
    }
  }
  return loss;
}

}  // namespace bert::nn
