// Sums over the numbers of vectors in f64, in an order that depends on the number of terms alone. b has as
// many numbers as a.
#pragma once

#include <span>

namespace bert::nn {

double dot(std::span<const float> a, const float* b);  // Σ a·b

double squared_distance(std::span<const float> a, const float* b, double shift = 0);  // Σ (a - b - shift)²

}  // namespace bert::nn
