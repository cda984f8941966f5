// Dropout (Srivastava et al. 2014) without stored masks: whether a number is left out is a function of where
// it stands, so that backward, a recomputed layer, a resumed run and micro-batches cut otherwise all find the
// same.
//
//   y = x·keep / (1 - p)        keep is 0 with probability p, a multiple of 1/65536
#pragma once

#include <cstdint>

namespace bert::nn {

// Where chance stands: sequence 0 of a batch is sequence `first_sequence` of its step, whatever micro-batches
// the step is cut into.
struct Chance {
  uint64_t seed = 0;
  uint64_t step = 0;
  uint64_t first_sequence = 0;
};

// What is dropped out somewhere in a network, the same in forward and backward.
enum class DropoutSite : uint64_t { embeddings, probabilities, attention, feed_forward, pooled, count };

// The numbers of one row are left out by Threefry-2x32 with 13 rounds (Salmon et al. 2011, "Parallel random
// numbers: as easy as 1, 2, 3") of this key at the counters (block of columns, row).
struct DropoutKey {
  uint32_t first = 0, second = 0;
};

// The key of one sequence (of the step) at a site of a layer; `head` for attention probabilities, whose rows
// are queries. Rows are positions in the sequence.
DropoutKey dropout_key(const Chance& chance, uint64_t sequence, uint64_t layer, DropoutSite site,
                       uint64_t head = 0);

// A probability in 1/65536, and what the numbers that stay are multiplied with.
struct DropoutRate {
  uint32_t threshold = 0;  // of 65536; 0: nothing is left out
  float scale = 1;

  DropoutRate() = default;
  explicit DropoutRate(float probability);  // in [0, 1)
  bool active() const { return threshold != 0; }
};

}  // namespace bert::nn
