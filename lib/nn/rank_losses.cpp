#include "nn/rank_losses.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

namespace bert::nn {
namespace {

constexpr double kOfLoss2 = 10;        // weight of NDCG-Loss2 beside LambdaRank's, as in the paper
constexpr double kLeastIdeal = 1e-10;  // of a list whose labels are all 0

// ln(1 + e^-x)
double softplus_of_minus(double x) { return std::max(-x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

Rated binary(std::span<const double> x, std::span<const float> y) {
  Rated rated;
  for (size_t k = 0; k < x.size(); ++k) {
    rated.loss += softplus_of_minus(x[k]) + (1 - y[k]) * x[k];
    rated.gradient.push_back(1 / (1 + std::exp(-x[k])) - y[k]);
  }
  return rated;
}

Rated squares(std::span<const double> x, std::span<const float> y) {
  Rated rated;
  for (size_t k = 0; k < x.size(); ++k) {
    const double error = x[k] - y[k];
    rated.loss += error * error;
    rated.gradient.push_back(2 * error);
  }
  return rated;
}

Rated cross_entropy(std::span<const double> x, std::span<const double> p) {
  const auto log_q = log_shares(x, 1);
  Rated rated;
  for (size_t k = 0; k < x.size(); ++k) {
    rated.loss -= p[k] * log_q[k];
    rated.gradient.push_back(std::exp(log_q[k]) - p[k]);
  }
  return rated;
}

double sum_of(std::span<const float> y) { return std::accumulate(y.begin(), y.end(), 0.0); }

std::vector<double> shares_of(std::span<const float> y) {
  std::vector<double> p;
  const double sum = sum_of(y);
  for (const float label : y) p.push_back(label / sum);
  return p;
}

std::vector<double> softmax_of(std::span<const float> y) {
  auto p = log_shares(y, 1);
  for (double& share : p) share = std::exp(share);
  return p;
}

double gain_of(double label) { return std::exp2(std::max(label, 0.0)) - 1; }
double inverse_discount(size_t place) { return 1 / std::log2(place + 2.0); }  // place from 0

double ideal_gain(std::span<const float> y) {
  std::vector<float> sorted(y.begin(), y.end());
  std::ranges::sort(sorted, std::greater());
  double sum = 0;
  for (size_t place = 0; place < sorted.size(); ++place)
    sum += gain_of(sorted[place]) * inverse_discount(place);
  return std::max(sum, kLeastIdeal);
}

// Wang et al. 2018, equation 15: w = (10 δ_ij + |1/D_i - 1/D_j|) |G_i - G_j|, where i and j are places in the
// order of x, D the discounts, G the gains, and δ_ij = 1/D_{|i-j|} - 1/D_{|i-j|+1}.
Rated lambda(std::span<const double> x, std::span<const float> y) {
  std::vector<size_t> order(x.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](size_t k) { return x[k]; });
  const double ideal = ideal_gain(y);
  Rated rated = {.gradient = std::vector<double>(x.size())};
  for (size_t i = 0; i < order.size(); ++i) {
    for (size_t j = 0; j < order.size(); ++j) {
      const size_t better = order[i], worse = order[j];
      if (!(y[better] > y[worse])) continue;
      const size_t apart = std::max(i, j) - std::min(i, j);
      const double delta = inverse_discount(apart - 1) - inverse_discount(apart);
      const double weight = (kOfLoss2 * delta + std::abs(inverse_discount(i) - inverse_discount(j))) *
                            (gain_of(y[better]) - gain_of(y[worse])) / ideal / std::numbers::ln2;
      const double difference = x[better] - x[worse];
      rated.loss += weight * softplus_of_minus(difference);
      const double slope = weight / (1 + std::exp(difference));
      rated.gradient[better] -= slope;
      rated.gradient[worse] += slope;
    }
  }
  return rated;
}

int64_t ordered_pairs(std::span<const float> y) {
  int64_t count = 0;
  for (const float a : y) count += std::ranges::count_if(y, [a](float b) { return a > b; });
  return count;
}

}  // namespace

int64_t rank_count(RankLoss loss, std::span<const float> y) {
  const auto permits = [&](float label) { return label >= entry(loss).least && label <= entry(loss).most; };
  if (!std::ranges::all_of(y, permits)) return 0;
  const bool is_list = y.size() > 1;
  switch (loss) {
    case RankLoss::binary:
    case RankLoss::mse:
      return std::ssize(y);
    case RankLoss::softmax:
      return is_list && sum_of(y) > 0 ? 1 : 0;
    case RankLoss::listnet:
    case RankLoss::kl:
      return is_list ? 1 : 0;
    case RankLoss::margin_mse:
      return std::max<int64_t>(0, std::ssize(y) - 1);
    case RankLoss::lambda:
      break;
  }
  return ordered_pairs(y);
}

Rated rank_loss(RankLoss loss, std::span<const double> x, std::span<const float> y, double temperature) {
  if (rank_count(loss, y) == 0) return {.gradient = std::vector<double>(x.size())};
  switch (loss) {
    case RankLoss::binary:
      return binary(x, y);
    case RankLoss::mse:
      return squares(x, y);
    case RankLoss::softmax:
      return cross_entropy(x, shares_of(y));
    case RankLoss::listnet:
      return cross_entropy(x, softmax_of(y));
    case RankLoss::margin_mse:
      return squared_margins(x, y);
    case RankLoss::kl:
      return divergence(x, y, temperature);
    case RankLoss::lambda:
      break;
  }
  return lambda(x, y);
}

}  // namespace bert::nn
