#include "nn/soft_losses.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "base/pool.h"

using namespace bert;
using namespace bert::nn;

namespace {

const std::vector<std::vector<double>> kLogits = {{0.5, -1.25, 2}, {0.125, -0.75, 1}, {3, 0.25, -2}};
const std::vector<int32_t> kGold = {2, 0, 1};
const std::vector<float> kImportance = {1, 0.5f, 2};
const std::vector<float> kProbabilities = {0.25f, 0.125f, 0.625f, 0, 1, 0, 0.5f, 0.25f, 0.25f};
const std::vector<float> kTargets = {1, 0, 1, 0, 0, 1, 1, 1, 0};

Tensor tensor_of(const std::vector<std::vector<double>>& rows) {
  Tensor tensor(std::ssize(rows), std::ssize(rows.front()));
  for (size_t r = 0; r < rows.size(); ++r)
    for (size_t c = 0; c < rows[r].size(); ++c)
      tensor.row(static_cast<int64_t>(r))[c] = static_cast<float>(rows[r][c]);
  return tensor;
}

double divergence(const std::vector<double>& x, const std::vector<double>& p, double temperature) {
  double of_x = 0, of_p = 0, sum = 0;
  for (size_t c = 0; c < x.size(); ++c) {
    of_x += std::exp(x[c] / temperature);
    of_p += std::pow(p[c], 1 / temperature);
  }
  for (size_t c = 0; c < x.size(); ++c) {
    const double t = std::pow(p[c], 1 / temperature) / of_p, q = std::exp(x[c] / temperature) / of_x;
    if (t > 0) sum += t * std::log(t / q);
  }
  return temperature * temperature * sum;
}

double slow_softmax(const std::vector<std::vector<double>>& x, double share, double temperature) {
  double loss = 0;
  for (size_t r = 0; r < x.size(); ++r) {
    std::vector<double> p, gold(x[r].size());
    for (size_t c = 0; c < x[r].size(); ++c) p.push_back(kProbabilities[r * x[r].size() + c]);
    gold[kGold[r]] = 1;
    loss +=
        kImportance[r] * (share * divergence(x[r], p, temperature) + (1 - share) * divergence(x[r], gold, 1));
  }
  return loss;
}

double slow_logistic(const std::vector<std::vector<double>>& x, double share, double temperature) {
  double loss = 0;
  for (size_t r = 0; r < x.size(); ++r) {
    for (size_t c = 0; c < x[r].size(); ++c) {
      const double p = kProbabilities[r * x[r].size() + c], gold = kTargets[r * x[r].size() + c];
      const std::vector<double> both = {x[r][c], 0};
      loss += share * divergence(both, {p, 1 - p}, temperature) +
              (1 - share) * divergence(both, {gold, 1 - gold}, 1);
    }
  }
  return loss;
}

template <class Slow, class Fast>
void compare(const Slow& slow, const Fast& fast) {
  for (const float share : {0.0f, 0.25f, 1.0f}) {
    for (const float temperature : {1.0f, 2.5f}) {
      const SoftTargets soft = {.probabilities = kProbabilities, .share = share, .temperature = temperature};
      Tensor logits = tensor_of(kLogits);
      const auto loss = fast(soft, logits);
      CHECK(loss.sum == doctest::Approx(slow(kLogits, share, temperature)).epsilon(1e-9));
      for (size_t r = 0; r < kLogits.size(); ++r) {
        for (size_t c = 0; c < kLogits[r].size(); ++c) {
          constexpr double kStep = 1e-5;
          auto above = kLogits, below = kLogits;
          above[r][c] += kStep;
          below[r][c] -= kStep;
          const double slope =
              (slow(above, share, temperature) - slow(below, share, temperature)) / (2 * kStep);
          CHECK(logits.row(static_cast<int64_t>(r))[c] == doctest::Approx(0.5 * slope).epsilon(1e-6));
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("soft labels of classes match central differences of a slow twin in double") {
  Pool pool(2);
  Context context(pool);
  compare(slow_softmax, [&](const SoftTargets& soft, Tensor& logits) {
    return soft_softmax_loss(context, {.gold = kGold, .importance = kImportance}, soft, 0.5f, logits);
  });
}

TEST_CASE("soft labels that are independent match central differences of a slow twin in double") {
  compare(slow_logistic, [&](const SoftTargets& soft, Tensor& logits) {
    return soft_logistic_loss(kTargets, soft, 0.5f, logits);
  });
}

TEST_CASE("without a share, soft labels change no loss") {
  Pool pool(1);
  Context context(pool);
  const SoftTargets none = {.probabilities = kProbabilities, .share = 0};
  Tensor soft = tensor_of(kLogits), hard = tensor_of(kLogits);
  const auto a = soft_softmax_loss(context, {.gold = kGold}, none, 1, soft);
  const auto b = softmax_loss(context, {.gold = kGold}, 1, hard);
  CHECK(a.sum == doctest::Approx(b.sum));
  CHECK(a.correct == b.correct);
  CHECK(a.count == b.count);
}
