// Dropout (Srivastava et al. 2014) without stored masks: whether a number is dropped depends only on the
// seed and its position. So backward, recomputed layers, resumed runs and other micro-batch sizes use the
// same mask.
//
//   y = x·keep / (1 - p)        keep is 0 with probability p, a multiple of 1/65536
#pragma once

#include <cstdint>
#include <span>

namespace bert::nn {

// Source of randomness. It depends on the number of a sequence in its step, however the step is split into
// micro-batches and shared out among processes.
struct DropoutSeed {
  uint64_t seed = 0;
  uint64_t step = 0;
  uint64_t first_sequence = 0;               // number of the batch's first sequence, if they are consecutive
  std::span<const uint64_t> sequences = {};  // else the number of each

  uint64_t number_of(int64_t sequence) const {  // of the batch
    const uint64_t i = sequence;
    return sequences.empty() ? first_sequence + i : sequences[i];
  }
};

// Positions of dropout in the network, the same in forward and backward.
enum class DropoutSite : uint64_t {
  embeddings,
  probabilities,
  attention,
  feed_forward,
  pooled,
  count,
  inner = embeddings  // of encoder layers, which have no embeddings
};

// Key of one dropout mask. Row r is masked by Threefry-2x32 with 13 rounds (Salmon et al. 2011, "Parallel
// random numbers: as easy as 1, 2, 3") at the counters (block of columns, r).
struct DropoutKey {
  uint32_t first = 0, second = 0;
};

// Key for one sequence of the step at a site of a layer. Rows are positions in the sequence. For attention
// probabilities, also give the `head`; rows are queries.
DropoutKey dropout_key(const DropoutSeed& dropout_seed, uint64_t sequence, uint64_t layer, DropoutSite site,
                       uint64_t head = 0);

// Drop probability in 1/65536, and the scale of the numbers that are kept.
struct DropoutRate {
  uint32_t threshold = 0;  // of 65536; 0: no dropout
  float scale = 1;

  DropoutRate() = default;
  explicit DropoutRate(float probability);  // in [0, 1)
  bool active() const { return threshold != 0; }
};

}  // namespace bert::nn
