// The numbers a network starts its pre-training with.
#pragma once

#include <cstdint>

#include "base/pool.h"
#include "nn/params.h"

namespace bert::model {

enum class PositionStart { normal, sinusoid, neighbours };

// By name: "…bias" 0, "…LayerNorm.weight" 1, all other tensors normal with mean 0 and this deviation (0.02 in
// the paper; Google's program throws away what is beyond two deviations, which leaves a deviation of 0.88
// times that). Each tensor's numbers are a function of seed and name, whatever the threads and the other
// tensors.
//
// `sinusoid` starts the position embeddings [T,H] with the waves of Vaswani et al. 2017, section 3.5, times
// 0.04: sines in the first half of a row, cosines in the second. They are trained like the others.
// `neighbours` is that, too, and goes with look_at_neighbours.
void initialize(nn::Params& params, float deviation, uint64_t seed, PositionStart positions, Pool& pool);

// Starts the queries and keys of the first layer such that, given waves as positions, its heads look at the
// token one behind their own, one before it, two behind, two before, and so on. A small network that has to
// find out by itself that near tokens matter spends most of a short training on it. So it is by positions
// alone; words are about as large as the waves, a token is like itself in both, and at first most of the
// attention (half to nine tenths at the default deviation) is on the token itself.
void look_at_neighbours(nn::Params& params, int64_t heads);

}  // namespace bert::model
