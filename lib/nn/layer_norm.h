// Layer normalization: y = (s - mean(s)) / sqrt(var(s) + ε) · gain + bias for each row (Ba et al. 2016).
#pragma once

#include <string_view>
#include <vector>

#include "nn/context.h"
#include "nn/linear.h"
#include "nn/params.h"
#include "nn/pass.h"
#include "nn/weights.h"

namespace bert::nn {

class LayerNorm {
 public:
  // Adds `prefix`.weight (the gain) and `prefix`.bias, unless it has none, each [H], to the layout.
  LayerNorm(std::string_view prefix, int64_t hidden, float epsilon, Layout& layout,
            Linear::Bias bias = Linear::Bias::yes);

  // y = norm(s) with s = drop(x) + residual (may be nullptr), all [M,H]. s, y and x may be the same tensor.
  void forward(const Pass& pass, const DropoutPlace& place, const Tensor& x, const Tensor* residual,
               Tensor& s, Tensor& y) const;

  // dy [M,H] -> ds [M,H], which may be the same. Adds to `gradients`. The gradient of the residual is ds,
  // that of x is drop(ds). Bias::no: the bias has no gradient.
  void backward(const Pass& pass, const Tensor& s, const Tensor& dy, Tensor& ds, Params& gradients,
                Linear::Bias bias = Linear::Bias::yes) const;

 private:
  int gain_, bias_;           // bias_ -1: none
  std::vector<float> zeros_;  // in place of a bias
  int64_t hidden_;
  float epsilon_;
};

// Whether dropout is active there.
bool drops(const Pass& pass, const DropoutPlace& place);
// y = x·keep·scale [M,H], in forward and backward, or y = x·keep·scale + residual. y may be x or the
// residual.
void drop(const Pass& pass, const DropoutPlace& place, const Tensor& x, Tensor& y);
void drop_and_add(const Pass& pass, const DropoutPlace& place, const Tensor& x, const Tensor& residual,
                  Tensor& y);

}  // namespace bert::nn
