// Losses of one vector and the vector that a teacher gives the same text, as sentence-transformers'
// EmbedDistillLoss and MSELoss define them.
//
// x is the student's vector, t the teacher's, N their length:
//
//   mse      Σ_i (x_i - t_i)² / N
//   cosine   1 - x·t / (|x| |t|)
//   l2       |x - t|
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace bert::nn {

enum class VectorLoss { mse, cosine, l2 };
struct VectorLossName {
  std::string_view name;
  VectorLoss loss;
};
inline constexpr VectorLossName kVectorLosses[] = {
    {"mse", VectorLoss::mse}, {"cosine", VectorLoss::cosine}, {"l2", VectorLoss::l2}};

struct VectorLossOptions {
  VectorLoss loss = VectorLoss::cosine;
  bool unit_length = false;  // the student's vector is scaled to unit length first
  // Matryoshka dimensions: the losses of the first d numbers of both vectors are added to that of the whole
  // vectors. With unit_length, these d numbers of the student are scaled.
  std::vector<int64_t> dims;
};

// The loss. Replaces dx by weight · its gradient, unless dx is empty. Sums are in double.
double vector_loss(const VectorLossOptions& options, std::span<const float> x, std::span<const float> target,
                   double weight, std::span<float> dx);

// u = x / max(|x|, 1e-12), as in PyTorch's F.normalize, and the gradient of x from that of u.
void to_unit_length(std::span<const float> x, std::span<float> u);
void unit_length_gradient(std::span<const float> x, std::span<const float> du, std::span<float> dx);

}  // namespace bert::nn
