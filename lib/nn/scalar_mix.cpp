#include "nn/scalar_mix.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace bert::nn {

ScalarMix::ScalarMix(int64_t layers, Layout& layout)
    : layers_(layers),
      weights_(layout.add_plain("layer_weights", {layers})),
      gamma_(layout.add_plain("layer_gamma", {1})) {}

std::vector<double> ScalarMix::shares(const Weights& weights) const {
  const std::span<const float> w(weights.plain(weights_), layers_);
  const double most = *std::ranges::max_element(w);
  std::vector<double> shares;
  double sum = 0;
  for (const float weight : w) sum += shares.emplace_back(std::exp(weight - most));
  for (double& share : shares) share /= sum;
  return shares;
}

std::vector<float> ScalarMix::factors(const Weights& weights) const {
  std::vector<float> factors;
  for (const double share : shares(weights))
    factors.push_back(static_cast<float>(share * weights.plain(gamma_)[0]));
  return factors;
}

void ScalarMix::forward(Context& context, const Weights& weights, std::span<const Tensor> h,
                        Tensor& y) const {
  assert(std::ssize(h) == layers_);
  const auto factors = this->factors(weights);
  y.reshape(h[0].rows(), h[0].cols());
  context.pool().run_grid(y.rows(), [&](int64_t row, int) {
    float* const to = y.row(row);
    std::fill_n(to, y.cols(), 0.0f);
    for (size_t l = 0; l < h.size(); ++l) {
      const float* const from = h[l].row(row);
      for (int64_t i = 0; i < y.cols(); ++i) to[i] += factors[l] * from[i];
    }
  });
}

// forward:  y = γ Σ_l s_l·h_l   s = softmax(w)
// so        g_l = Σ dy∘h_l      dγ = Σ_l s_l·g_l      dw_l = γ·s_l·(g_l - dγ)
//
// The sums are in double and over rows in order, so that their bits do not depend on threads.
void ScalarMix::backward(Context& context, const Weights& weights, std::span<const Tensor> h,
                         const Tensor& dy, Params& gradients) const {
  std::vector<double> products(dy.rows() * layers_);
  context.pool().run_grid(dy.rows(), [&](int64_t row, int) {
    const auto d = dy.values(row);
    for (size_t l = 0; l < h.size(); ++l) {
      double sum = 0;
      for (size_t i = 0; i < d.size(); ++i) sum += d[i] * static_cast<double>(h[l].row(row)[i]);
      products[row * h.size() + l] = sum;
    }
  });
  std::vector<double> g(h.size());
  for (size_t i = 0; i < products.size(); ++i) g[i % h.size()] += products[i];
  const auto s = shares(weights);
  const double gamma = weights.plain(gamma_)[0];
  double dgamma = 0;
  for (size_t l = 0; l < g.size(); ++l) dgamma += s[l] * g[l];
  const auto dw = gradients.tensor(weights_);
  for (size_t l = 0; l < g.size(); ++l) dw[l] += static_cast<float>(gamma * s[l] * (g[l] - dgamma));
  gradients.tensor(gamma_)[0] += static_cast<float>(dgamma);
}

void scale(Context& context, float factor, const Tensor& x, Tensor& y) {
  y.reshape(x.rows(), x.cols());
  context.pool().run_grid(x.rows(), [&](int64_t row, int) {
    for (int64_t i = 0; i < x.cols(); ++i) y.row(row)[i] = factor * x.row(row)[i];
  });
}

void add_rows(Context& context, float factor, const Tensor& x, std::span<const int64_t> rows, Tensor& y) {
  context.pool().run_grid(x.rows(), [&](int64_t i, int) {
    float* const to = y.row(rows[i]);
    for (int64_t column = 0; column < x.cols(); ++column) to[column] += factor * x.row(i)[column];
  });
}

}  // namespace bert::nn
