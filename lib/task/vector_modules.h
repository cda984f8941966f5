// What follows the pooling in a sentence-transformers directory: Dense and Normalize.
#pragma once

#include <span>
#include <vector>

#include "model/sentence_transformers.h"
#include "nn/activation.h"

namespace bert::task {

// activation(W x + b). Sums are in double over eight interleaved lanes that are added up in a fixed order, so
// that they run fast and always give the same bits.
std::vector<float> project(const model::Dense& dense, std::span<const float> x);

// x / max(|x|, 1e-12), the length in double: PyTorch's F.normalize.
void normalize(std::span<float> x);

double activate(nn::Activation activation, double x);

}  // namespace bert::task
