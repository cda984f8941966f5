// The arithmetic of training that is not a product: one table of loops for each instruction set, as in
// kernels.h, and with the same promise for rows.
#pragma once

#include <cstdint>

#include "nn/activation.h"
#include "nn/dropout.h"
#include "nn/kernels.h"

namespace bert::nn {

// Attention probabilities of one head that are left out: key of the head, rows are queries.
struct DroppedProbabilities {
  DropoutKey key = {};
  DropoutRate rate;
};

// One head of one sequence on the way back. `head.out` is what forward wrote; all else [length, size].
struct AttentionHeadGradient {
  AttentionHead head;     // rows = length
  const float* log_sums;  // [length] of forward
  DroppedProbabilities dropped;
  const float* dout;
  int64_t dout_stride;
  float *dq, *dk, *dv;  // overwritten
  int64_t dqkv_stride;
};

struct TrainingKernels {
  const char* name;

  // y = x·keep·scale over one row of n numbers; x and y may be the same. Which are kept is that of DropoutKey
  // at (column, row), and the same for every table.
  void (*drop)(int64_t n, DropoutKey key, uint32_t row, DropoutRate rate, const float* x, float* y);

  // With s = the row that was normalised: dx gets the gradient of s; dgain += dy∘x̂ and dbias += dy. n
  // numbers; dx may be dy.
  void (*layer_norm_backward)(int64_t n, const float* s, const float* gain, float epsilon, const float* dy,
                              float* dx, float* dgain, float* dbias);

  // Kernels::attend with probabilities left out; log_sums [rows] gets ln Σ e^(q·k·scale) of each row.
  void (*attend)(const AttentionHead& head, const DroppedProbabilities& dropped, float* log_sums,
                 float* scratch);
  void (*attend_backward)(const AttentionHeadGradient& gradient, float* scratch);

  // y = act(x) and dx = dy·act'(x), n numbers; dy and dx may be the same.
  void (*activation_backward)(int64_t n, Activation activation, const float* x, const float* dy, float* y,
                              float* dx);
};

int64_t attention_backward_scratch(int64_t length, int64_t size);

const TrainingKernels& training_kernels();  // the table for this machine, as kernels()

namespace kernels_baseline {
extern const TrainingKernels kTrainingTable;
}
#if defined(__x86_64__)
namespace kernels_avx2 {
extern const TrainingKernels kTrainingTable;
}
namespace kernels_avx512 {
extern const TrainingKernels kTrainingTable;
}
#endif

}  // namespace bert::nn
