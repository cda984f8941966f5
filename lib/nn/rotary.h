// Rotary positions (Su et al. 2021, "RoFormer", section 3.2.2): the queries and keys of each head are turned
// by angles that grow with the position, so that their products depend on distances alone.
//
//   (x[i], x[i + n]) at position p  ->  turned by p·f[i],   f[i] = θ^(-2i/R)     i < n = R/2
//
// for the first R numbers of each head. Frequencies and angles are rounded to f32 as in transformers: at
// position 8,000, an angle in f64 would differ from that by up to 0.0005.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "nn/kernels/kernels.h"

namespace bert::nn {

struct RotaryConfig {
  // What is done for texts longer than those of training, by a factor s; P: the positions below.
  enum class Scaling {
    none,
    linear,   // frequencies are divided by s
    ntk,      // θ becomes s·θ, and frequencies are divided by s^(2/R)
    dynamic,  // for a sequence of T > P tokens, θ is multiplied by (s·T/P - (s - 1))^(R/(R - 2))
  };

  int64_t size = 64;  // R, even
  double theta = 10000;
  Scaling scaling = Scaling::none;
  double factor = 1;
  int64_t positions = 512;

  bool operator==(const RotaryConfig&) const = default;
};

// The cosines and sines of all positions of a batch.
class Rotations {
 public:
  explicit Rotations(const RotaryConfig& config) : config_(config) {}

  // Computes what the sequences need; `offsets` [B+1] are their starts. Call it before a pass, on one thread.
  void prepare(std::span<const int64_t> offsets);

  // Those of a sequence of `length` tokens.
  class Turn {
   public:
    Turn(const float* angles, int64_t pairs) : angles_(angles), pairs_(pairs) {}
    // Turns `heads` heads of `size` numbers, on end. sign -1 turns back.
    void operator()(const Kernels& kernels, int64_t position, int64_t heads, int64_t size, float sign,
                    float* x) const {
      const float* const cos = angles_ + position * 2 * pairs_;
      for (int64_t head = 0; head < heads; ++head)
        kernels.rotate(pairs_, cos, cos + pairs_, sign, x + head * size);
    }

   private:
    const float* angles_;  // [T, 2, pairs]: cosines, sines
    int64_t pairs_;
  };
  Turn of(int64_t length) const;

 private:
  // The length whose frequencies a sequence has: 0 for all that are not scaled by length.
  int64_t scaled_length(int64_t length) const;
  std::vector<float> frequencies(int64_t scaled_length) const;

  RotaryConfig config_;
  std::map<int64_t, std::vector<float>> angles_;  // by scaled length
};

}  // namespace bert::nn
