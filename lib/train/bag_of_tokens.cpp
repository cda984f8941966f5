#include "train/bag_of_tokens.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>

namespace bert::train {
namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void add(double factor, std::span<const double> x, std::span<double> y) {
  for (size_t i = 0; i < x.size(); ++i) y[i] += factor * x[i];
}

// A step of the search, and how the gradient changed on it.
struct Change {
  std::vector<double> step, gradient;
  double product;  // of both
};

// The gradient times an estimate of the inverse second derivative (Nocedal and Wright, "Numerical
// Optimization", algorithm 7.4).
std::vector<double> descent(const std::deque<Change>& changes, std::span<const double> gradient) {
  std::vector<double> direction(gradient.begin(), gradient.end());
  std::vector<double> shares(changes.size());
  for (size_t i = changes.size(); i-- > 0;) {
    shares[i] = dot(changes[i].step, direction) / changes[i].product;
    add(-shares[i], changes[i].gradient, direction);
  }
  if (!changes.empty()) {
    const auto& last = changes.back();
    const double scale = last.product / dot(last.gradient, last.gradient);
    for (auto& value : direction) value *= scale;
  }
  for (size_t i = 0; i < changes.size(); ++i)
    add(shares[i] - dot(changes[i].gradient, direction) / changes[i].product, changes[i].step, direction);
  return direction;
}

// Minimizes a convex function of `x` by L-BFGS, from where it is. `function` writes the gradient.
template <class Function>
void minimize(std::vector<double>& x, Function function) {
  constexpr size_t kChanges = 8;
  constexpr int kMostSteps = 500, kMostHalvings = 40;
  constexpr double kEnough = 1e-4;      // share of the expected decrease
  constexpr double kConverged = 1e-12;  // square of the gradient's length, relative to that at the start
  std::vector<double> gradient(x.size()), next_gradient(x.size());
  double value = function(x, gradient);
  const double start = dot(gradient, gradient);
  std::deque<Change> changes;
  for (int i = 0; i < kMostSteps && dot(gradient, gradient) > kConverged * start; ++i) {
    const auto direction = descent(changes, gradient);
    const double slope = -dot(gradient, direction);
    double rate = changes.empty() ? 1 / std::max(1.0, std::sqrt(start)) : 1;
    auto next = x;
    int halvings = 0;
    for (;; rate /= 2, next = x) {
      add(-rate, direction, next);
      const double there = function(next, next_gradient);
      if (there <= value + kEnough * rate * slope) {
        value = there;
        break;
      }
      if (++halvings == kMostHalvings) return;  // as near as numbers are
    }
    Change change = {.step = next, .gradient = next_gradient, .product = 0};
    add(-1, x, change.step);
    add(-1, gradient, change.gradient);
    change.product = dot(change.step, change.gradient);
    if (change.product > 0) changes.push_back(std::move(change));
    if (changes.size() > kChanges) changes.pop_front();
    x.swap(next);
    gradient.swap(next_gradient);
  }
}

double log_sum_exp(std::span<const float> values) {
  const double most = *std::ranges::max_element(values);
  double sum = 0;
  for (const float value : values) sum += std::exp(value - most);
  return most + std::log(sum);
}

double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// Replaces outputs by the derivative of the sum of the losses of each, and returns the sum. That of squared
// errors is half of it.
double sum_loss(OutputLoss loss, std::span<const float> target, std::span<double> outputs) {
  double sum = 0;
  if (loss == OutputLoss::squared) {
    outputs[0] -= target[0];
    return outputs[0] * outputs[0] / 2;
  }
  if (loss == OutputLoss::logistic) {
    for (size_t k = 0; k < outputs.size(); ++k) {
      sum += softplus(outputs[k]) - target[k] * outputs[k];
      outputs[k] = sigmoid(outputs[k]) - target[k];
    }
    return sum;
  }
  const auto gold = static_cast<size_t>(target[0]);
  const double most = *std::ranges::max_element(outputs), its = outputs[gold];
  for (auto& output : outputs) sum += output = std::exp(output - most);
  for (auto& output : outputs) output /= sum;
  outputs[gold] -= 1;
  return std::log(sum) + most - its;
}

}  // namespace

double output_loss(OutputLoss loss, std::span<const float> target, std::span<const float> outputs) {
  if (loss == OutputLoss::softmax) return log_sum_exp(outputs) - outputs[static_cast<size_t>(target[0])];
  std::vector<double> values(outputs.begin(), outputs.end());
  const double sum = sum_loss(loss, target, values);
  return loss == OutputLoss::squared ? 2 * sum : sum / static_cast<double>(outputs.size());
}

void BagOfTokens::add(std::span<const int32_t> tokens, std::span<const float> target) {
  for (const auto id : tokens) {
    if (static_cast<size_t>(id) >= numbers_.size()) numbers_.resize(id + 1, -1);
    if (numbers_[id] >= 0) continue;
    numbers_[id] = static_cast<int32_t>(texts_.size());
    texts_.push_back(0);
  }
  rows_.push_back(counted(tokens));
  for (const auto& [token, count] : rows_.back()) ++texts_[token];
  targets_.insert(targets_.end(), target.begin(), target.end());
}

BagOfTokens::Row BagOfTokens::counted(std::span<const int32_t> tokens) const {
  std::vector<int32_t> known;
  for (const auto id : tokens)
    if (static_cast<size_t>(id) < numbers_.size() && numbers_[id] >= 0) known.push_back(numbers_[id]);
  std::ranges::sort(known);
  Row row;
  for (const auto token : known) {
    if (row.empty() || row.back().first != token) row.emplace_back(token, 0);
    ++row.back().second;
  }
  return row;
}

void BagOfTokens::scale(Row& row) const {
  double squares = 0;
  for (auto& [token, value] : row) {
    value *= inverse_[token];
    squares += double{value} * value;
  }
  const auto length = static_cast<float>(std::sqrt(squares));
  for (auto& [token, value] : row) value /= length;
}

double BagOfTokens::objective(std::span<const double> weights, std::span<double> gradient) const {
  const size_t n = outputs_, biases = texts_.size() * n;
  // The weights of two classes are opposite, so the square of their difference is twice the sum of both.
  const double penalty = loss_ == OutputLoss::softmax && n == 2 ? 2 : 1;
  const auto penalized = weights.first(biases);
  std::ranges::fill(gradient, 0);
  train::add(penalty, penalized, gradient);
  double sum = penalty * dot(penalized, penalized) / 2;
  std::vector<double> outputs(n);
  for (size_t text = 0; text < rows_.size(); ++text) {
    std::ranges::copy(weights.subspan(biases), outputs.begin());
    for (const auto& [token, value] : rows_[text]) train::add(value, weights.subspan(token * n, n), outputs);
    sum += sum_loss(loss_, target(text), outputs);
    for (const auto& [token, value] : rows_[text]) train::add(value, outputs, gradient.subspan(token * n, n));
    train::add(1, outputs, gradient.subspan(biases));
  }
  return sum;
}

void BagOfTokens::fit() {
  for (const auto texts : texts_)
    inverse_.push_back(static_cast<float>(
        std::log(static_cast<double>(1 + rows_.size()) / static_cast<double>(1 + texts)) + 1));
  for (auto& row : rows_) scale(row);
  weights_.assign((texts_.size() + 1) * outputs_, 0);
  minimize(weights_, [this](const std::vector<double>& weights, std::vector<double>& gradient) {
    return objective(weights, gradient);
  });
}

std::vector<float> BagOfTokens::outputs(std::span<const int32_t> tokens) const {
  auto row = counted(tokens);
  scale(row);
  const auto weights = std::span(weights_);
  const size_t n = outputs_;
  std::vector<double> outputs(weights.end() - static_cast<ptrdiff_t>(n), weights.end());
  for (const auto& [token, value] : row) train::add(value, weights.subspan(token * n, n), outputs);
  return {outputs.begin(), outputs.end()};
}

std::vector<float> BagOfTokens::constant() const {
  std::vector<double> sums(outputs_);
  for (size_t text = 0; text < rows_.size(); ++text) {
    const auto its = target(text);
    if (loss_ == OutputLoss::softmax) {
      ++sums[static_cast<size_t>(its[0])];
    } else {
      for (size_t k = 0; k < its.size(); ++k) sums[k] += its[k];
    }
  }
  constexpr double kHalf = 0.5;  // of a text: what none or all have may still occur
  const auto n = static_cast<double>(rows_.size());
  std::vector<float> outputs;
  for (const double sum : sums) {
    const double share = std::clamp(sum, kHalf, std::max(n - kHalf, kHalf)) / n;
    outputs.push_back(static_cast<float>(loss_ == OutputLoss::squared    ? sum / n
                                         : loss_ == OutputLoss::logistic ? std::log(share / (1 - share))
                                                                         : std::log(share)));
  }
  return outputs;
}

}  // namespace bert::train
