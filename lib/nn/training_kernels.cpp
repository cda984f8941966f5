#include "nn/training_kernels.h"

namespace bert::nn {
namespace {

int64_t round_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

}  // namespace

// The parts of attend_backward, which needs more than attend: k and v transposed, and k, dk, dv [length,
// size]; q, dout, dq and two blocks of scores for kAttentionRows.
int64_t attention_training_scratch(int64_t length, int64_t size) {
  const int64_t whole_size = round_up(size, 16), whole_length = round_up(length, 16);
  return 2 * round_up(length, kPanelWidth) * whole_size + 3 * whole_length * whole_size +
         kAttentionRows * (3 * whole_size + 2 * (whole_length + 16));
}

}  // namespace bert::nn
