// The arithmetic of optimisers on flat arrays: one table of loops for each instruction set, as in kernels.h.
//
// All of it is bound by memory, so each loop reads and writes every array once. Counts n are multiples of 16,
// which the arrays of Params allow: zeros lie between tensors, and every loop maps zeros to zero.
#pragma once

#include <cstdint>

#include "nn/kernels.h"

namespace bert::nn {

// One step of Adam for the numbers of one array:
//
//   m += (1 - β1)·(g' - m)    v += (1 - β2)·(g'² - v)    g' = gradient_scale·g
//   r  = m_scale·m / (v_scale·√v + epsilon) + decay·p
//   p -= rate·r
//
// The moments are written as steps toward their goals because β2 = 0.999 rounded to f32 would put v wrong by
// 1.3e-5 of itself. Moments below 1e-34 become 0: a parameter without gradients would else end in denormal
// numbers, which are many times slower, and √v of them does not show beside any epsilon above 1e-12.
struct AdamStep {
  float gradient_scale = 1;
  float m_step = 0;                // 1 - β1
  float v_step = 0;                // 1 - β2
  float m_scale = 1, v_scale = 1;  // correct the bias of the young averages
  float epsilon = 0;
  float decay = 0;
  float rate = 0;
};

struct SquareSums {
  double p = 0, r = 0;
};

struct UpdateKernels {
  const char* name;

  // Moments and parameters in one pass.
  void (*adam)(int64_t n, const AdamStep& step, const float* g, float* m, float* v, float* p);

  // The moments alone, and Σ p² and Σ r².
  SquareSums (*adam_moments)(int64_t n, const AdamStep& step, const float* g, float* m, float* v,
                             const float* p);

  // p -= rate·r alone.
  void (*adam_apply)(int64_t n, const AdamStep& step, const float* m, const float* v, float* p);

  // Σ x² in double precision, where squares of floats are exact: number i goes to sum i mod 16, and these are
  // added as a tree, so that every table gives the same bits.
  double (*sum_of_squares)(int64_t n, const float* x);
};

const UpdateKernels& update_kernels();  // the table for this machine, as kernels()

namespace kernels_baseline {
extern const UpdateKernels kUpdateTable;
}
#if defined(__x86_64__)
namespace kernels_avx2 {
extern const UpdateKernels kUpdateTable;
}
namespace kernels_avx512 {
extern const UpdateKernels kUpdateTable;
}
#endif

}  // namespace bert::nn
