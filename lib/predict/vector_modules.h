// The modules after pooling in a sentence-transformers directory: Dense and Normalize.
#pragma once

#include <span>
#include <vector>

#include "model/sentence_transformers.h"
#include "nn/activation.h"

namespace bert::predict {

// activation(W x + b). Sums are in double, in eight interleaved lanes added in a fixed order, for speed and
// reproducible results.
std::vector<float> project(const model::Dense& dense, std::span<const float> x);

// x / max(|x|, 1e-12), with the norm in double, as in PyTorch's F.normalize.
void normalize(std::span<float> x);

double activate(nn::Activation activation, double x);

}  // namespace bert::predict
