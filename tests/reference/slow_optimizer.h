// The optimizers in double precision, number by number, from their publications: reference for lib/train.
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace bert::reference {

struct Adam {
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, decay = 0.01;
  bool bias_correction = true;
  bool trust_ratio = false;  // LAMB's ‖p‖/‖r‖
};

// One tensor and its optimizer state.
struct SlowTensor {
  std::vector<double> p, m, v;
  int t = 0;

  explicit SlowTensor(std::vector<double> start) : p(std::move(start)), m(p.size()), v(p.size()) {}

  void step(const Adam& adam, double rate, const std::vector<double>& g) {
    ++t;
    std::vector<double> update(p.size());
    double p_squares = 0, update_squares = 0;
    for (size_t i = 0; i < p.size(); ++i) {
      m[i] = adam.beta1 * m[i] + (1 - adam.beta1) * g[i];
      v[i] = adam.beta2 * v[i] + (1 - adam.beta2) * g[i] * g[i];
      const double first = adam.bias_correction ? m[i] / (1 - std::pow(adam.beta1, t)) : m[i];
      const double second = adam.bias_correction ? v[i] / (1 - std::pow(adam.beta2, t)) : v[i];
      update[i] = first / (std::sqrt(second) + adam.epsilon) + adam.decay * p[i];
      p_squares += p[i] * p[i];
      update_squares += update[i] * update[i];
    }
    const bool adapt = adam.trust_ratio && p_squares > 0 && update_squares > 0;
    const double ratio = adapt ? std::sqrt(p_squares) / std::sqrt(update_squares) : 1;
    for (size_t i = 0; i < p.size(); ++i) p[i] -= rate * ratio * update[i];
  }
};

}  // namespace bert::reference
