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

// One head of one sequence on the way back: all as forward had it, but head.out is not looked at.
struct AttentionHeadGradient {
  AttentionHead head;
  DroppedProbabilities dropped;
  const float* dout;  // [rows, size]
  int64_t dout_stride;
  float* dq;  // [rows, size], overwritten
  int64_t dq_stride;
  float *dk, *dv;  // [length, size], overwritten
  int64_t dkv_stride;
  const AttentionHeadGradient* next;  // what is likely to be asked for after it, or nullptr
};

struct TrainingKernels {
  const char* name;

  // y = x·keep·scale + residual (none: nullptr) over one row of n numbers; y may be x or the residual. Which
  // are kept is that of DropoutKey at (column, row), and the same for every table. No random numbers are
  // computed when the rate is not active.
  void (*drop)(int64_t n, DropoutKey key, uint32_t row, DropoutRate rate, const float* x,
               const float* residual, float* y);

  // With s = the row that was normalised: dx gets the gradient of s; dgain += dy∘x̂ and dbias += dy. n
  // numbers; dx may be dy.
  void (*layer_norm_backward)(int64_t n, const float* s, const float* gain, float epsilon, const float* dy,
                              float* dx, float* dgain, float* dbias);

  // Kernels::attend with probabilities left out, and its way back. Scratch of both:
  // attention_training_scratch.
  void (*attend)(const AttentionHead& head, const DroppedProbabilities& dropped, float* scratch);
  void (*attend_backward)(const AttentionHeadGradient& gradient, float* scratch);

  // y = act(x) and dx = dy·act'(x), n numbers; dy and dx may be the same, x and y too.
  void (*activation_backward)(int64_t n, Activation activation, const float* x, const float* dy, float* y,
                              float* dx);
};

// Floats, of a multiple of 16 each part.
int64_t attention_training_scratch(int64_t length, int64_t size);

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
