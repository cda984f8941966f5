// A convolution over the tokens of each sequence, beside the first layer of an encoder: with the layer's
// input x and its output y, both [M,H],
//
//   z[i] = norm(y[i] + act(drop(b + Σ_t W[:,:,t]·x[i + t - (k-1)/2])))        W [H,H,k], k odd; x is 0 beyond
//   the ends
//
// as in DeBERTa v2 (https://github.com/microsoft/DeBERTa, ConvLayer).
#pragma once

#include <cstdint>

#include "nn/activation.h"
#include "nn/layer_norm.h"
#include "nn/linear.h"
#include "nn/params.h"
#include "nn/pass.h"

namespace bert::nn {

class Convolution {
 public:
  struct Config {
    int64_t hidden = 768;
    int64_t size = 3;  // k
    Activation activation = Activation::tanh;
    float norm_epsilon = 1e-7f;
    float dropout = 0;  // in training
  };

  struct Saved {
    Tensor columns;  // the neighbours of each token, side by side [M, H·k]
    Tensor u;        // before the activation
    Tensor s;        // before the normalization
  };

  // Adds encoder.conv.conv and encoder.conv.LayerNorm to the layout.
  Convolution(const Config& config, Layout& layout);

  // y becomes z.
  void forward(const Pass& pass, const Tensor& x, Saved& saved, Tensor& y) const;

  // dy, the gradient of z, becomes that of y; dx [M,H] is the gradient of x. Adds to `gradients`; overwrites
  // saved.u. Without dx, nothing is trained below.
  void backward(const Pass& pass, Saved& saved, Tensor& dy, Params& gradients, Tensor* dx) const;

 private:
  void activate(Context& context, const Tensor& u, Tensor& y) const;

  Config config_;
  Linear kernel_;
  LayerNorm norm_;
  DropoutPlace dropout_;
};

}  // namespace bert::nn
