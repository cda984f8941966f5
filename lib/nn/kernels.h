// The arithmetic that oneDNN does not do: one table of loops for each instruction set, picked once at run
// time.
//
// Every result is the same for any number of rows in a call, any thread and any neighbour: a row is computed
// by the same operations in the same order wherever it stands. Between instruction sets results differ in the
// last bits.
#pragma once

#include <cstdint>

#include "nn/activation.h"
#include "nn/dropout.h"

namespace bert::nn {

enum class Into { replace, add };  // what a product does to what it is written to

// A row's softmax: logits exceed nothing but max, which stands first at `best`; sum is Σ e^(logit - max).
struct SoftmaxResult {
  float max;
  double sum;
  float gold;  // the logit of the right one
  int64_t best;
};

// A row of f32 as u8: numbers are scale·(byte - zero). A row that has NaN or infinity has the scale NaN.
struct QuantizedRow {
  float scale;
  int32_t zero;
};

// One head of one sequence: rows softmax(q·kᵀ·scale)·v. q [rows, size] is a part of the sequence's queries, k
// and v [length, size] are whole; pointers are to the head's columns, strides in floats.
struct AttentionHead {
  const float* q;
  int64_t q_stride;
  int64_t rows;
  const float* k;
  const float* v;
  int64_t kv_stride;
  int64_t length;
  int64_t size;
  float scale;
  float* out;  // [rows, size]
  int64_t out_stride;
};

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

// A column of weights as integers: numbers are scale·integer, and NaN if it has NaN or infinity.
struct QuantizedColumn {
  float scale;
  int32_t sum;  // of the integers
};

constexpr float kLeastRange = 1e-30f;   // of numbers that are rounded to whole ones; others become 0
constexpr int64_t kSoftmaxPart = 1024;  // numbers added up before the sum goes on in double
constexpr int64_t kAttentionRows = 48;  // of scores at a time: they stay in the cache
constexpr int64_t kAttentionColumns = 64, kAttentionDepth = 96;  // and of products' factors

struct Kernels {
  const char* name;

  // y += x, n numbers.
  void (*add)(int64_t n, const float* x, float* y);

  // to [cols, stride] = from [rows, cols] transposed, rows ≤ stride, a multiple of 16; zeros beyond the rows.
  void (*transpose)(int64_t rows, int64_t cols, const float* from, int64_t from_stride, float* to,
                    int64_t stride);

  // Rounds n numbers to 255 equal steps from the least to the greatest, 0 among them.
  QuantizedRow (*quantize)(int64_t n, const float* x, uint8_t* bytes);

  // Rounds n numbers to n integers from -most to most.
  QuantizedColumn (*quantize_column)(int64_t n, const float* x, float most, int8_t* integers);

  // Sums of products of bytes of a row with whole numbers w/scales[j], in place: the products' sums. sums[j]
  // are those of the whole numbers. n is a multiple of 16.
  void (*dequantize)(int64_t n, QuantizedRow row, const float* scales, const int32_t* sums,
                     int32_t* products);

  // y = act(tile + bias) for [rows, n] numbers, n a multiple of 16.
  void (*finish_tile)(int64_t rows, int64_t n, const float* tile, int64_t tile_stride, const float* bias,
                      Activation activation, float* y, int64_t y_stride);

  // y = act(x) and dx = dy·act'(x), n numbers; dy and dx may be the same, x and y too.
  void (*activation_backward)(int64_t n, Activation activation, const float* x, const float* dy, float* y,
                              float* dx);

  // y = (x - mean(x)) / sqrt(var(x) + epsilon) · gain + bias of n numbers; y may be x.
  void (*layer_norm)(int64_t n, const float* x, const float* gain, const float* bias, float epsilon,
                     float* y);

  // With s = the row that was normalised: dx gets the gradient of s; dgain += dy∘x̂ and dbias += dy. n
  // numbers; dx may be dy.
  void (*layer_norm_backward)(int64_t n, const float* s, const float* gain, float epsilon, const float* dy,
                              float* dx, float* dgain, float* dbias);

  // y = x·keep·scale + residual (none: nullptr) over one row of n numbers; y may be x or the residual. Which
  // are kept is that of DropoutKey at (column, row), and the same for every table. No random numbers are
  // computed when the rate is not active.
  void (*drop)(int64_t n, DropoutKey key, uint32_t row, DropoutRate rate, const float* x,
               const float* residual, float* y);

  // Attention and its way back. Scratch of both: attention_scratch.
  void (*attend)(const AttentionHead& head, const DroppedProbabilities& dropped, float* scratch);
  void (*attend_backward)(const AttentionHeadGradient& gradient, float* scratch);

  // Turns the logits of one row [n] into the gradient of -weight·ln softmax[gold], and sets what follows up
  // to a multiple of 64 to zero.
  SoftmaxResult (*softmax_gradient)(int64_t n, float* logits, int64_t gold, float weight);

  // What follows is of whole arrays and bound by memory, so each array is read and written once. Counts n are
  // multiples of 16, which the arrays of Params allow: zeros lie between tensors, and zeros become zeros.

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

// Floats of scratch, of a multiple of 16 each part.
int64_t attention_scratch(int64_t length, int64_t size);

// The table for this machine. ONEDNN_MAX_CPU_ISA lowers it as it lowers oneDNN.
const Kernels& kernels();

namespace kernels_baseline {
extern const Kernels kTable;
}
#if defined(__x86_64__)
namespace kernels_avx2 {
extern const Kernels kTable;
}
namespace kernels_avx512 {
extern const Kernels kTable;
}
#endif

}  // namespace bert::nn
