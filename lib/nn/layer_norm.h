// y = (s - mean(s)) / sqrt(var(s) + ε) · gain + bias over each row of s = x + residual (Ba et al. 2016)
#pragma once

#include <string_view>

#include "nn/context.h"
#include "nn/weights.h"

namespace bert::nn {

class LayerNorm {
 public:
  // Names `prefix`.weight (the gain) and `prefix`.bias, each [H].
  LayerNorm(std::string_view prefix, int64_t hidden, float epsilon, Layout& layout);

  // x, residual (may be nullptr), y: [M,H].
  void forward(Context& context, const Weights& weights, const Tensor& x, const Tensor* residual,
               Tensor& y) const;

  // One row, on the calling thread; x and y may be the same.
  void forward_row(const Weights& weights, const float* x, float* y) const;

 private:
  int gain_, bias_;
  int64_t hidden_;
  float epsilon_;
};

}  // namespace bert::nn
