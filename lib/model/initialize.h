// The numbers a network starts its pre-training with.
#pragma once

#include <cstdint>

#include "base/pool.h"
#include "nn/params.h"

namespace bert::model {

enum class PositionStart { normal, sinusoid };

// By name: "…bias" 0, "…LayerNorm.weight" 1, all other tensors normal with mean 0 and this deviation (0.02 in
// the paper; Google's program throws away what is beyond two deviations, which leaves a deviation of 0.88
// times that). Each tensor's numbers are a function of seed and name, whatever the threads and the other
// tensors.
//
// `sinusoid` starts the position embeddings [T,H] with the waves of Vaswani et al. 2017, section 3.5, times
// 0.04: sines in the first half of a row, cosines in the second. They are trained like the others.
void initialize(nn::Params& params, float deviation, uint64_t seed, PositionStart positions, Pool& pool);

}  // namespace bert::model
