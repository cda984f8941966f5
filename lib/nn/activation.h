// The functions between linear layers.
#pragma once

namespace bert::nn {

// gelu is x·Φ(x) by erf; gelu_tanh its approximation by tanh (Hendrycks & Gimpel 2016); silu is x·sigmoid(x).
enum class Activation { none, gelu, gelu_tanh, relu, silu, tanh };

}  // namespace bert::nn
