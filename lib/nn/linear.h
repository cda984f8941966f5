// y = act(x·Wᵀ + b)          x [M,K], W [N,K], b [N], y [M,N]
#pragma once

#include <span>
#include <string_view>

#include "nn/activation.h"
#include "nn/context.h"
#include "nn/params.h"
#include "nn/products.h"
#include "nn/weights.h"

namespace bert::nn {

class Linear {
 public:
  enum class Bias { yes, no };

  // Adds `prefix`.weight [N,K] and `prefix`.bias [N], unless it has none, to the layout.
  Linear(std::string_view prefix, int64_t outputs, int64_t inputs, Layout& layout, Bias bias = Bias::yes);
  // For a weight [N, K / size, size], see Layout::add_kernel.
  static Linear of_kernel(std::string_view prefix, int64_t outputs, int64_t inputs, int64_t size,
                          Layout& layout);

  // Columns it takes in a tensor shared with others: outputs, rounded up.
  int64_t width() const { return round_up(outputs_, Tensor::kColumns); }
  // Number format of its products.
  Dtype dtype(const Weights& weights) const { return weights.dtype(weight_); }

  // Optionally stores u = x·Wᵀ + b for backward.
  void forward(Context& context, const Weights& weights, const Tensor& x, Activation activation, Tensor& y,
               Tensor* u = nullptr) const;
  // y = x·Wᵀ + b + residual, unless that is nullptr; it must not be y.
  void forward(Context& context, const Weights& weights, const Tensor& x, const Tensor* residual,
               Tensor& y) const;

  // With a gate: y = act(u)∘factor, factor = x·Vᵀ + c, likewise stored.
  struct Inner {
    Activation activation = Activation::none;
    const Linear* gate = nullptr;
    Tensor *u = nullptr, *factor = nullptr;
  };
  void forward(Context& context, const Weights& weights, const Tensor& x, const Inner& inner,
               Tensor& y) const;
  // z is what `next` makes of y, which is temporary memory, in the form that is fastest, and the residual.
  void forward(Context& context, const Weights& weights, const Tensor& x, const Inner& inner,
               const Linear& next, const Tensor* residual, Tensor& y, Tensor& z) const;

  // Several products of one x in one grid, without activation. y [M, column + Σ width()], which must have its
  // shape, gets the outputs side by side, starting at column `column` (a multiple of 64); or y has half as
  // many floats, in place of each a pair of outputs in bf16.
  enum class Form { floats, pairs };
  static void forward_beside(Context& context, const Weights& weights, const Tensor& x,
                             std::span<const Linear* const> linears, int64_t column, Form form, Tensor& y);

  // Backward of y = x·Wᵀ + b, with weights of Params. dy is columns [column, column + N) of a tensor [M, …].
  //   dW += dyᵀ·x   db += Σ_m dy     into `gradients`; Bias::no skips db
  void backward_weights(Context& context, const Weights& weights, const Tensor& x, const Tensor& dy,
                        int64_t column, Params& gradients, Bias bias = Bias::yes) const;
  //   dx [M,K] = dy·W, or dx += dy·W
  void backward_input(Context& context, const Weights& weights, const Tensor& dy, int64_t column, Into into,
                      Tensor& dx) const;
  // If x = act(u):   u becomes its gradient (dy·W)∘act'(u), and x is recomputed, so it need not be stored.
  void backward_input(Context& context, const Weights& weights, const Tensor& dy, Activation activation,
                      Tensor& u, Tensor& x) const;

 private:
  Linear(int weight, int bias, int64_t outputs, int64_t inputs)
      : weight_(weight), bias_(bias), outputs_(outputs), inputs_(inputs) {}
  template <class Output>  // Tensor or ColumnBlocks
  void forward_into(Context& context, const Weights& weights, const Tensor& x, const Inner& inner,
                    Output& y) const;
  const float* bias_of(const Weights& weights, int64_t column) const;  // of the columns of a tile
  Product input_gradient(const Weights& weights, const Tensor& dy, int64_t column, Tensor& dx) const;

  int weight_, bias_;  // bias_ -1: none
  int64_t outputs_, inputs_;
};

}  // namespace bert::nn
