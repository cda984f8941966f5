#include "nn/vector_losses.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

using namespace bert::nn;

namespace {

using Numbers = std::vector<double>;

// The loss in double, from its definition.
double slow_loss(const VectorLossOptions& options, const Numbers& all_x, const std::vector<float>& all_t) {
  auto dims = options.dims;
  dims.push_back(std::ssize(all_x));
  double sum = 0;
  for (const auto d : dims) {
    double xx = 0, tt = 0, xt = 0, distance = 0;
    for (int64_t i = 0; i < d; ++i) xx += all_x[i] * all_x[i];
    const double scale = options.unit_length ? std::sqrt(xx) : 1;
    for (int64_t i = 0; i < d; ++i) {
      const double x = all_x[i] / scale, t = all_t[i];
      tt += t * t;
      xt += x * t;
      distance += (x - t) * (x - t);
    }
    switch (options.loss) {
      case VectorLoss::mse:
        sum += distance / static_cast<double>(d);
        break;
      case VectorLoss::cosine:
        sum += 1 - xt / (std::sqrt(xx) / scale * std::sqrt(tt));
        break;
      case VectorLoss::l2:
        sum += std::sqrt(distance);
        break;
    }
  }
  return sum;
}

const std::vector<float> kX = {0.5f, -1.25f, 2, 0.125f, -0.75f, 1, 0.25f},
                         kTarget = {0.25f, -1, 0.5f, 0.5f, -0.25f, -0.5f, 1};

}  // namespace

TEST_CASE("losses of a vector and a teacher's match central differences of a slow twin in double") {
  for (const auto& [_, loss] : kVectorLosses) {
    for (const bool unit_length : {false, true}) {
      for (const auto& dims : {std::vector<int64_t>(), {3}, {2, 5}}) {
        const VectorLossOptions options = {.loss = loss, .unit_length = unit_length, .dims = dims};
        std::vector<float> dx(kX.size());
        Numbers x(kX.begin(), kX.end());
        CHECK(vector_loss(options, kX, kTarget, 0.5, dx) ==
              doctest::Approx(slow_loss(options, x, kTarget)).epsilon(1e-12));
        for (size_t i = 0; i < x.size(); ++i) {
          constexpr double kStep = 1e-5;
          auto above = x, below = x;
          above[i] += kStep;
          below[i] -= kStep;
          const double slope =
              (slow_loss(options, above, kTarget) - slow_loss(options, below, kTarget)) / (2 * kStep);
          CHECK(dx[i] == doctest::Approx(0.5 * slope).epsilon(1e-6));
        }
      }
    }
  }
}

TEST_CASE("losses of vectors of length 0 and of equal vectors have finite gradients") {
  const std::vector<float> zero(kX.size());
  for (const auto& [_, loss] : kVectorLosses) {
    for (const bool unit_length : {false, true}) {
      const VectorLossOptions options = {.loss = loss, .unit_length = unit_length};
      for (const auto& [x, target] : {std::pair(zero, kTarget), std::pair(kX, zero), std::pair(kX, kX)}) {
        std::vector<float> dx(x.size());
        CHECK(std::isfinite(vector_loss(options, x, target, 1, dx)));
        for (const float number : dx) CHECK(std::isfinite(number));
      }
    }
  }
  std::vector<float> dx(kX.size(), 3);
  CHECK(vector_loss({.loss = VectorLoss::l2}, kX, kX, 1, dx) == 0);
  CHECK(dx == zero);
}

TEST_CASE("the gradient of a vector of unit length has no part along the vector") {
  std::vector<float> u(kX.size()), dx(kX.size());
  to_unit_length(kX, u);
  unit_length_gradient(kX, u, dx);
  for (const float number : dx) CHECK(std::abs(number) < 1e-7);
  double squares = 0;
  for (const float number : u) squares += static_cast<double>(number) * number;
  CHECK(squares == doctest::Approx(1));
}
