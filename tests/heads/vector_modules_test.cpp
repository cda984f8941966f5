#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "heads/pooling.h"

using namespace bert::heads;
using bert::nn::Activation;

namespace {

// Reference in long double, from the functions' definitions.
long double activated(Activation activation, long double x) {
  switch (activation) {
    case Activation::none:
      return x;
    case Activation::gelu:
      return x / 2 * (1 + std::erf(x / std::sqrt(2.0L)));
    case Activation::gelu_tanh:
      return x / 2 * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0L)) * (x + 0.044715L * x * x * x)));
    case Activation::relu:
      return x > 0 ? x : 0;
    case Activation::silu:
      return x / (1 + std::exp(-x));
    case Activation::tanh:
      return std::tanh(x);
  }
  return x;
}

constexpr Activation kActivations[] = {Activation::none, Activation::gelu, Activation::gelu_tanh,
                                       Activation::relu, Activation::silu, Activation::tanh};

std::vector<float> random_values(std::mt19937& random, size_t count) {
  std::normal_distribution<float> normal(0, 1);
  std::vector<float> values(count);
  for (float& x : values) x = normal(random);
  return values;
}

}  // namespace

TEST_CASE("a dense module applies matrix, bias and activation") {
  std::mt19937 random(1);
  for (int round = 0; round < 1000; ++round) {
    const size_t in = 1 + random() % 40, out = 1 + random() % 10;
    const bert::model::Dense dense = {.in = static_cast<int64_t>(in),
                                      .out = static_cast<int64_t>(out),
                                      .activation = kActivations[random() % 6],
                                      .weight = random_values(random, in * out),
                                      .bias = random_values(random, random() % 2 ? out : 0)};
    const auto x = random_values(random, in);
    const auto y = project(dense, x);
    REQUIRE(y.size() == out);
    for (size_t row = 0; row < out; ++row) {
      long double sum = dense.bias.empty() ? 0 : dense.bias[row];
      for (size_t i = 0; i < in; ++i) sum += static_cast<long double>(dense.weight[row * in + i]) * x[i];
      const auto expected = static_cast<double>(activated(dense.activation, sum));
      REQUIRE(std::abs(y[row] - expected) <= 1e-7 * (1 + std::abs(expected)));
    }
  }
}

TEST_CASE("activations are accurate for inputs far from zero") {
  CHECK(activate(Activation::gelu, -10) == doctest::Approx(-7.61985302416052606597e-23).epsilon(1e-9));
  CHECK(activate(Activation::silu, -800) == doctest::Approx(0));
  CHECK(activate(Activation::silu, 800) == 800);
}

TEST_CASE("normalize scales to unit length and keeps a zero vector") {
  std::mt19937 random(2);
  for (int round = 0; round < 1000; ++round) {
    auto x = random_values(random, 1 + random() % 50);
    const auto before = x;
    normalize(x);
    long double length = 0;
    for (const float v : before) length += static_cast<long double>(v) * v;
    length = std::sqrt(length);
    for (size_t i = 0; i < x.size(); ++i) {
      REQUIRE(x[i] == doctest::Approx(static_cast<double>(before[i] / length)).epsilon(1e-6));
    }
  }
  std::vector<float> zero(3);
  normalize(zero);
  CHECK(zero == std::vector<float>(3));
}
