// The backward pass of the layers as plain loops in double precision, and dropout number by number: reference
// for the training kernels.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>

#include "nn/dropout.h"
#include "reference/slow_layers.h"

namespace bert::reference {

// Threefry-2x32 (Salmon et al. 2011, section 3.3) as in the paper: the key is added after every fourth round.
inline std::array<uint32_t, 2> threefry(std::array<uint32_t, 2> counter, std::array<uint32_t, 2> key,
                                        int rounds) {
  constexpr std::array<int, 8> kRotations = {13, 15, 26, 6, 17, 29, 16, 24};
  const std::array<uint32_t, 3> keys = {key[0], key[1], 0x1bd11bdau ^ key[0] ^ key[1]};
  auto [a, b] = counter;
  a += keys[0];
  b += keys[1];
  for (int round = 0; round < rounds; ++round) {
    const int rotation = kRotations[static_cast<size_t>(round % 8)];
    a += b;
    b = (b << rotation | b >> (32 - rotation)) ^ a;
    if (round % 4 != 3) continue;
    const auto turn = static_cast<uint32_t>(round / 4 + 1);
    a += keys[turn % 3];
    b += keys[(turn + 1) % 3] + turn;
  }
  return {a, b};
}

inline bool kept(nn::DropoutKey key, uint32_t row, uint32_t column, uint32_t threshold) {
  const auto words = threefry({column / 64 * 16 + column % 16, row}, {key.first, key.second}, 13);
  const uint32_t quarter = column / 16 % 4, word = words[quarter / 2];
  return (quarter % 2 == 0 ? word & 0xffff : word >> 16) >= threshold;
}

// Dropout factors [rows, cols]: 0 or the rate's scale.
inline Matrix keep_factors(nn::DropoutKey key, nn::DropoutRate rate, size_t rows, size_t cols) {
  Matrix factors(rows, Row(cols));
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < cols; ++j) {
      const bool stays = kept(key, static_cast<uint32_t>(i), static_cast<uint32_t>(j), rate.threshold);
      factors[i][j] = stays ? 65536.0 / (65536.0 - rate.threshold) : 0;
    }
  }
  return factors;
}

inline double activation_slope(nn::Activation activation, double x) {
  switch (activation) {
    case nn::Activation::gelu:
      return 0.5 * std::erfc(-x / std::sqrt(2.0)) + x * std::exp(-x * x / 2) / std::sqrt(2 * M_PI);
    case nn::Activation::gelu_tanh: {
      const double c = std::sqrt(2 / M_PI), tanh = std::tanh(c * (x + 0.044715 * x * x * x));
      return 0.5 * (1 + tanh) + 0.5 * x * (1 - tanh * tanh) * c * (1 + 3 * 0.044715 * x * x);
    }
    case nn::Activation::relu:
      return x > 0 ? 1 : 0;
    case nn::Activation::silu: {
      const double sigmoid = 1 / (1 + std::exp(-x));
      return sigmoid * (1 + x * (1 - sigmoid));
    }
    case nn::Activation::tanh:
      return 1 - std::tanh(x) * std::tanh(x);
    case nn::Activation::none:
      break;
  }
  return 1;
}

struct NormGradient {
  Row ds, dgain, dbias;
};
inline NormGradient layer_norm_backward(const Row& s, const Row& gain, double epsilon, const Row& dy) {
  const size_t n = s.size();
  const auto count = static_cast<double>(n);
  const Row normal = layer_norm(s, Row(n, 1), Row(n, 0), epsilon);
  double mean = 0, variance = 0, sum_g = 0, sum_gx = 0;
  for (const double value : s) mean += value / count;
  for (const double value : s) variance += (value - mean) * (value - mean) / count;
  for (size_t i = 0; i < n; ++i) {
    sum_g += dy[i] * gain[i];
    sum_gx += dy[i] * gain[i] * normal[i];
  }
  NormGradient gradient{Row(n), Row(n), dy};
  for (size_t i = 0; i < n; ++i) {
    gradient.ds[i] =
        (dy[i] * gain[i] - sum_g / count - normal[i] * sum_gx / count) / std::sqrt(variance + epsilon);
    gradient.dgain[i] = dy[i] * normal[i];
  }
  return gradient;
}

// (softmax(q·kᵀ·scale)∘keep)·v
inline Matrix attend_dropped(const Matrix& q, const Matrix& k, const Matrix& v, double scale,
                             const Matrix& keep, const std::vector<nn::KeyRange>& seen = {}) {
  Matrix unit(k.size(), Row(k.size()));
  for (size_t i = 0; i < k.size(); ++i) unit[i][i] = 1;
  const Matrix p = attend(q, k, unit, scale, seen);
  Matrix out(q.size(), Row(v[0].size()));
  for (size_t i = 0; i < q.size(); ++i) {
    for (size_t j = 0; j < k.size(); ++j) {
      for (size_t d = 0; d < v[j].size(); ++d) out[i][d] += p[i][j] * keep[i][j] * v[j][d];
    }
  }
  return out;
}

struct AttentionGradient {
  Matrix dq, dk, dv;
};
inline AttentionGradient attend_backward(const Matrix& q, const Matrix& k, const Matrix& v, double scale,
                                         const Matrix& keep, const Matrix& dout,
                                         const std::vector<nn::KeyRange>& seen = {}) {
  const size_t length = k.size(), size = k[0].size();
  Matrix unit(length, Row(length));
  for (size_t i = 0; i < length; ++i) unit[i][i] = 1;
  const Matrix p = attend(q, k, unit, scale, seen), zero(length, Row(size));
  AttentionGradient gradient{Matrix(q.size(), Row(size)), zero, zero};
  for (size_t i = 0; i < q.size(); ++i) {
    Row dp(length);
    double total = 0;
    for (size_t j = 0; j < length; ++j) {
      for (size_t d = 0; d < size; ++d) {
        dp[j] += dout[i][d] * v[j][d] * keep[i][j];
        gradient.dv[j][d] += p[i][j] * keep[i][j] * dout[i][d];
      }
      total += p[i][j] * dp[j];
    }
    for (size_t j = 0; j < length; ++j) {
      const double ds = p[i][j] * (dp[j] - total) * scale;
      for (size_t d = 0; d < size; ++d) {
        gradient.dq[i][d] += ds * k[j][d];
        gradient.dk[j][d] += ds * q[i][d];
      }
    }
  }
  return gradient;
}

// Gradient of loss() with respect to each number, by central differences.
inline Row central_differences(Row& numbers, const std::function<double()>& loss) {
  constexpr double kStep = 1e-5;
  Row gradient;
  for (double& number : numbers) {
    const double kept_number = number;
    number = kept_number + kStep;
    const double above = loss();
    number = kept_number - kStep;
    gradient.push_back((above - loss()) / (2 * kStep));
    number = kept_number;
  }
  return gradient;
}

}  // namespace bert::reference
