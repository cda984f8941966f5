// y = (s - mean(s)) / sqrt(var(s) + ε) · gain + bias over each row of s = x + residual (Ba et al. 2016)
#pragma once

#include <string_view>

#include "nn/context.h"
#include "nn/params.h"
#include "nn/pass.h"
#include "nn/weights.h"

namespace bert::nn {

class LayerNorm {
 public:
  // Names `prefix`.weight (the gain) and `prefix`.bias, each [H].
  LayerNorm(std::string_view prefix, int64_t hidden, float epsilon, Layout& layout);

  // y = norm(s) of s = drop(x) + residual (may be nullptr): [M,H]. s and y may be one tensor, x too.
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

// y = x·keep·scale, which may be x: [M,H]. Forward and backward alike.
void drop(const Pass& pass, const DropoutPlace& place, const Tensor& x, Tensor& y);

}  // namespace bert::nn
