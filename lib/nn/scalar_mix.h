// Learned weighted sum of layers (Peters et al. 2018, "Deep contextualized word representations", equation
// 1):
//
//   y = γ Σ_l s_l·h_l      s = softmax(w)
//
// h_l and y are [R,H]. The layers are the embeddings' output and the output of each encoder layer.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "nn/context.h"
#include "nn/params.h"
#include "nn/weights.h"

namespace bert::nn {

class ScalarMix {
 public:
  // Names of the tensors begin with this.
  static constexpr std::string_view kPrefix = "layer_";

  // Adds layer_weights [layers], w, and layer_gamma [1] to the layout.
  ScalarMix(int64_t layers, Layout& layout);

  // γ·s, one factor for each layer.
  std::vector<float> factors(const Weights& weights) const;

  // The gradient of h_l is factors[l]·dy; see add_rows below.
  void forward(Context& context, const Weights& weights, std::span<const Tensor> h, Tensor& y) const;

  // Adds the gradients of w and γ to `gradients`. dy [R,H].
  void backward(Context& context, const Weights& weights, std::span<const Tensor> h, const Tensor& dy,
                Params& gradients) const;

 private:
  std::vector<double> shares(const Weights& weights) const;  // s

  int64_t layers_;
  int weights_, gamma_;
};

// y = factor·x
void scale(Context& context, float factor, const Tensor& x, Tensor& y);

// Adds factor·x [R,H] to these rows of y, which must be distinct.
void add_rows(Context& context, float factor, const Tensor& x, std::span<const int64_t> rows, Tensor& y);

}  // namespace bert::nn
