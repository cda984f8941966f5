// Activation functions.
#pragma once

namespace bert::nn {

// gelu is x·Φ(x), computed with erf; gelu_tanh is its tanh approximation (Hendrycks & Gimpel 2016); silu is
// x·sigmoid(x).
enum class Activation { none, gelu, gelu_tanh, relu, silu, tanh };

}  // namespace bert::nn
