#include "nn/soft_losses.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

namespace bert::nn {
namespace {

// ln Σ e^(x_i / temperature), the logarithm of softmax's divisor.
double log_divisor(std::span<const float> x, double temperature) {
  const double most = std::ranges::max(x);
  double sum = 0;
  for (const float number : x) sum += std::exp((number - most) / temperature);
  return most / temperature + std::log(sum);
}

// p^(1/T) / Σ p^(1/T)
std::vector<double> sharpened(std::span<const float> probabilities, double temperature) {
  std::vector<double> sharp;
  double sum = 0;
  for (const float p : probabilities) sum += sharp.emplace_back(std::pow(double{p}, 1 / temperature));
  for (double& t : sharp) t /= sum;
  return sharp;
}

// p ln(p / q), given ln q; 0 for p = 0.
double relative(double p, double log_q) { return p > 0 ? p * (std::log(p) - log_q) : 0; }

// ln(1 / (1 + e^-x))
double log_sigmoid(double x) { return std::min(x, 0.0) - std::log1p(std::exp(-std::abs(x))); }

// Replaces the logits of a row. Returns its loss.
double soft_row(std::span<float> x, int32_t gold, std::span<const float> probabilities,
                const SoftTargets& soft, double weight) {
  const double temperature = soft.temperature, share = soft.share;
  const auto target = sharpened(probabilities, temperature);
  const double soft_divisor = log_divisor(x, temperature), hard_divisor = log_divisor(x, 1);
  double divergence = 0;
  const double hard = hard_divisor - x[gold];
  for (size_t c = 0; c < x.size(); ++c) {
    const double log_q = x[c] / temperature - soft_divisor;
    divergence += relative(target[c], log_q);
    const double of_hard = std::exp(x[c] - hard_divisor) - (static_cast<int32_t>(c) == gold ? 1 : 0);
    x[c] = static_cast<float>(weight *
                              (share * temperature * (std::exp(log_q) - target[c]) + (1 - share) * of_hard));
  }
  return share * temperature * temperature * divergence + (1 - share) * hard;
}

}  // namespace

Loss soft_softmax_loss(Context& context, const SoftmaxRows& rows, const SoftTargets& soft, float weight,
                       Tensor& logits) {
  const auto cols = logits.cols();
  assert(std::ssize(rows.gold) == logits.rows() && rows.lengths.empty());
  assert(soft.probabilities.size() == rows.gold.size() * cols);
  struct Result {
    double loss = 0;
    bool correct = false;
  };
  std::vector<Result> results(rows.gold.size());
  const auto importance = [&](size_t r) { return rows.importance.empty() ? 1.0f : rows.importance[r]; };
  context.pool().run_grid(logits.rows(), [&](int64_t row, int) {
    const size_t r = row;
    const std::span<float> x(logits.row(row), cols);
    const auto best = std::ranges::max_element(x) - x.begin();
    results[r].correct = best == rows.gold[r];
    results[r].loss = importance(r) * soft_row(x, rows.gold[r], soft.probabilities.subspan(r * cols, cols),
                                               soft, weight * importance(r));
    std::fill(logits.row(row) + cols, logits.row(row) + logits.stride(), 0.0f);
  });
  Loss loss = {.count = logits.rows()};
  for (const auto& result : results) {
    loss.sum += result.loss;
    loss.correct += result.correct;
  }
  return loss;
}

Loss soft_logistic_loss(std::span<const float> targets, const SoftTargets& soft, float weight,
                        Tensor& logits) {
  const int64_t cols = logits.cols();
  assert(std::ssize(targets) == logits.rows() * cols && soft.probabilities.size() == targets.size());
  const double temperature = soft.temperature, share = soft.share;
  Loss loss = {.count = logits.rows() * cols};
  for (int64_t row = 0; row < logits.rows(); ++row) {
    float* const at = logits.row(row);
    for (int64_t c = 0; c < cols; ++c) {
      const float p = soft.probabilities[row * cols + c];
      const float both[] = {p, 1 - p};
      const auto t = sharpened(both, temperature);
      const double x = at[c], cool = x / temperature, target = targets[row * cols + c];
      const double divergence = relative(t[0], log_sigmoid(cool)) + relative(t[1], log_sigmoid(-cool));
      const double hard = -target * log_sigmoid(x) - (1 - target) * log_sigmoid(-x);
      loss.sum += share * temperature * temperature * divergence + (1 - share) * hard;
      loss.correct += (x > 0) == (target > 0.5);
      const double of_soft = 1 / (1 + std::exp(-cool)) - t[0], of_hard = 1 / (1 + std::exp(-x)) - target;
      at[c] = static_cast<float>(weight * (share * temperature * of_soft + (1 - share) * of_hard));
    }
    std::fill(at + cols, at + logits.stride(), 0.0f);
  }
  return loss;
}

}  // namespace bert::nn
