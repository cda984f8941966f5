// Initial weights for pre-training from scratch.
#pragma once

#include <cstdint>

#include "base/pool.h"
#include "model/config.h"
#include "nn/params.h"

namespace bert::model {

enum class PositionStart { normal, sinusoid, neighbours };

// Sets each tensor by its name: "…bias" and layer_weights to 0, "…LayerNorm.weight" and layer_gamma to 1, all
// others to normal values with mean 0 and standard deviation Config::init_range (0.02 in the paper). Google's
// code truncates at two deviations, which gives 0.88 times that deviation. The values of a tensor depend only
// on the configuration, the seed and its name, not on threads or other tensors.
//
// In types with a cutoff, values are truncated, and the deviation depends on the layer, as in transformers'
// ModernBERT with L layers: the range / √(2·L) for what adds to the residual stream and for the layer before
// heads, 1 / √H for fine-tuned heads, and the range for all others.
//
// `sinusoid` initializes the position embeddings [P,H] with the sinusoids of Vaswani et al. 2017, section
// 3.5, times 0.04: sines in the first half of a row, cosines in the second. They are trained like all other
// weights. `neighbours` does the same and is meant to be followed by look_at_neighbours.
void initialize(nn::Params& params, const Config& config, uint64_t seed, PositionStart positions, Pool& pool);

// Initializes the queries and keys of the first layer so that, with sinusoidal positions, head 0 attends to
// the next token, head 1 to the previous one, head 2 to the second next, and so on. Otherwise a small network
// spends most of a short training run learning that nearby tokens matter. The match uses positions alone.
// Word embeddings are about as large as the sinusoids and a token is most similar to itself, so at first half
// to nine tenths of the attention (at the default deviation) is on the token itself.
void look_at_neighbours(nn::Params& params, int64_t heads);

}  // namespace bert::model
