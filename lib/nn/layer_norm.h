// Layer normalization: y = (s - mean(s)) / sqrt(var(s) + ε) · gain + bias for each row (Ba et al. 2016).
#pragma once

#include <string_view>

#include "nn/context.h"
#include "nn/params.h"
#include "nn/pass.h"
#include "nn/weights.h"

namespace bert::nn {

class LayerNorm {
 public:
  // Adds `prefix`.weight (the gain) and `prefix`.bias, each [H], to the layout.
  LayerNorm(std::string_view prefix, int64_t hidden, float epsilon, Layout& layout);

  // y = norm(s) with s = drop(x) + residual (may be nullptr), all [M,H]. s, y and x may be the same tensor.
  void forward(const Pass& pass, const DropoutPlace& place, const Tensor& x, const Tensor* residual,
               Tensor& s, Tensor& y) const;

  // dy [M,H] -> ds [M,H], which may be the same. Adds to `gradients`. The gradient of the residual is ds,
  // that of x is drop(ds).
  void backward(const Pass& pass, const Tensor& s, const Tensor& dy, Tensor& ds, Params& gradients) const;

 private:
  int gain_, bias_;
  int64_t hidden_;
  float epsilon_;
};

// y = x·keep·scale [M,H], in forward and backward. y may be x.
void drop(const Pass& pass, const DropoutPlace& place, const Tensor& x, Tensor& y);

}  // namespace bert::nn
