#include "predict/vector_modules.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace bert::predict {
namespace {

constexpr size_t kLanes = 8;

double sum_of_products(const float* a, const float* b, size_t n) {
  std::array<double, kLanes> lanes{};
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (size_t k = 0; k < kLanes; ++k) lanes[k] += static_cast<double>(a[i + k]) * b[i + k];
  }
  for (size_t k = 0; i < n; ++i, ++k) lanes[k] += static_cast<double>(a[i]) * b[i];
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

}  // namespace

std::vector<float> project(const model::Dense& dense, std::span<const float> x) {
  assert(static_cast<int64_t>(x.size()) == dense.in);
  std::vector<float> y;
  y.reserve(static_cast<size_t>(dense.out));
  for (size_t row = 0; row < static_cast<size_t>(dense.out); ++row) {
    const double sum = sum_of_products(dense.weight.data() + row * x.size(), x.data(), x.size());
    y.push_back(
        static_cast<float>(activate(dense.activation, dense.bias.empty() ? sum : sum + dense.bias[row])));
  }
  return y;
}

void normalize(std::span<float> x) {
  const double length = std::max(std::sqrt(sum_of_products(x.data(), x.data(), x.size())), 1e-12);
  for (float& value : x) value = static_cast<float>(value / length);
}

double activate(nn::Activation activation, double x) {
  switch (activation) {
    case nn::Activation::none:
      return x;
    case nn::Activation::gelu:
      return 0.5 * x * std::erfc(-x * std::sqrt(0.5));
    case nn::Activation::gelu_tanh:
      return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    case nn::Activation::relu:
      return x < 0 ? 0 : x;
    case nn::Activation::silu:
      return x / (1 + std::exp(-x));
    case nn::Activation::tanh:
      return std::tanh(x);
  }
  return x;
}

}  // namespace bert::predict
