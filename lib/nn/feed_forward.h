// The second half of an encoder layer, on each row:
//
//   y = W₂·act(W₁·x + b₁) + b₂                 x, y [M,H], W₁ [F,H], W₂ [H,F]
//   y = W₂·(act(W₁·x + b₁)∘(V·x + c)) + b₂     with a gate (Shazeer 2020, "GLU variants improve transformer")
#pragma once

#include <optional>
#include <string>

#include "nn/activation.h"
#include "nn/linear.h"
#include "nn/params.h"
#include "nn/pass.h"

namespace bert::nn {

class FeedForward {
 public:
  struct Config {
    int64_t hidden = 768;  // H
    int64_t width = 3072;  // F
    Activation activation = Activation::gelu;
    bool gated = false;
    Linear::Bias bias = Linear::Bias::yes, output_bias = Linear::Bias::yes;
    DropoutPlace dropout = {};  // of what W₂ multiplies, in training; only with a gate
  };

  struct Saved {
    Tensor u;       // W₁·x + b₁; overwritten by its gradient in backward
    Tensor factor;  // V·x + c; likewise
  };

  // Adds `prefix`.intermediate.{dense,up} and `prefix`.output.dense to the layout; only a gate has `up`.
  FeedForward(const std::string& prefix, const Config& config, Layout& layout);

  // y, + residual [M,H] unless that is nullptr. `inner` [M,F] is temporary memory. Without `saved`, backward
  // is impossible.
  void forward(const Pass& pass, const Tensor& x, const Tensor* residual, Tensor& inner, Saved* saved,
               Tensor& y) const;

  // dy -> dx [M,H]; adds to `gradients`.
  void backward(const Pass& pass, const Tensor& x, const Tensor& dy, Saved& saved, Tensor& inner, Into into,
                Params& gradients, Tensor& dx) const;

  // Number format of the products.
  Dtype dtype(const Weights& weights) const { return inner_.dtype(weights); }

 private:
  void backward_gate(Context& context, Saved& saved, Tensor& inner) const;

  Activation activation_;
  Linear inner_;
  std::optional<Linear> up_;
  Linear output_;
  DropoutPlace dropout_;
};

}  // namespace bert::nn
