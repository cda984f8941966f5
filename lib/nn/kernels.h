// The arithmetic that oneDNN does not do: one table of loops for each instruction set, picked once at run
// time.
//
// Every result is the same for any number of rows in a call, any thread and any neighbour: a row is computed
// by the same operations in the same order wherever it stands. Between instruction sets results differ in the
// last bits.
#pragma once

#include <cstdint>

#include "nn/activation.h"

namespace bert::nn {

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

enum class Into { replace, add };  // what a product does to what it is written to

// A part of a gradient of a matrix W [N,K] of y = x·Wᵀ: dw [rows, cols] = dyᵀ·x or += dyᵀ·x, over `depth`
// rows of dy and x, at least one.
struct GradientProduct {
  int64_t depth, rows, cols;
  const float* dy;  // [depth, rows], and x [depth, cols]: with room to read up to 64 columns
  int64_t dy_stride;
  const float* x;
  int64_t x_stride;
  float* dw;
  int64_t dw_stride;
  Into into;
  float* db;  // [rows] += Σ dy, or nullptr
};

// A row's softmax: logits exceed nothing but max, which stands first at `best`; sum is Σ e^(logit - max).
struct SoftmaxResult {
  float max;
  double sum;
  float gold;  // the logit of the right one
  int64_t best;
};

constexpr int64_t kPanelWidth = 64;     // columns of a packed panel
constexpr int64_t kGradientRows = 96;   // rows of a gradient computed at a time
constexpr int64_t kSoftmaxPart = 1024;  // numbers added up before the sum goes on in double
constexpr int64_t kLongestPart = 96;    // of a product's depth: 24 KiB of a panel, half a first-level cache
constexpr int64_t kAttentionRows = 48;  // of scores at a time: they stay in the cache

struct Kernels {
  const char* name;

  // tile p [rows, 64] = x [rows, depth] · panel p [depth, 64] for each of the panels; the tiles lie one
  // behind another. The depth is cut into equal parts of at most kLongestPart whose products are added in
  // order: one chain of additions over thousands of terms would lose twice as much.
  void (*panel_products)(int64_t rows, int64_t depth, const float* x, int64_t x_stride, int64_t panels,
                         const float* const* panel, float* tiles);

  // Chains of additions are at most kLongestPart long, as above. Scratch: gradient_scratch(cols).
  void (*gradient_products)(const GradientProduct& product, float* scratch);

  // y [rows, cols] = x [rows, depth] · w [depth, cols], w row-major; y and x have room for cols rounded up to
  // 64. Scratch: gradient_scratch(cols).
  void (*strided_products)(int64_t rows, int64_t depth, const float* x, int64_t x_stride, int64_t cols,
                           const float* w, int64_t w_stride, float* y, int64_t y_stride, float* scratch);

  // Turns the logits of one row [n] into the gradient of -weight·ln softmax[gold], and sets what follows up
  // to a multiple of 64 to zero.
  SoftmaxResult (*softmax_gradient)(int64_t n, float* logits, int64_t gold, float weight);

  // y = act(tile + bias) for [rows, n] numbers, n a multiple of 16.
  void (*finish_tile)(int64_t rows, int64_t n, const float* tile, int64_t tile_stride, const float* bias,
                      Activation activation, float* y, int64_t y_stride);

  // y = (s - mean(s)) / sqrt(var(s) + epsilon) · gain + bias with s = x + residual (no residual: nullptr); n
  // numbers.
  void (*layer_norm)(int64_t n, const float* x, const float* residual, const float* gain, const float* bias,
                     float epsilon, float* y);

  // y += x, n numbers.
  void (*add)(int64_t n, const float* x, float* y);

  // Cuts 64 rows of k numbers into a panel [k, 64]: panel[i][j] = rows[j][i]; rows from `count` on are zero.
  void (*pack_panel)(const float* rows, int64_t row_stride, int64_t count, int64_t k, float* panel);

  // Rows first to first + count of a panel: panel[first + i][j] = rows[i][j], j < cols. `first` is even, and
  // only at the panel's end is `count` odd.
  void (*pack_rows)(const float* rows, int64_t row_stride, int64_t first, int64_t count, int64_t cols,
                    float* panel);

  void (*attend)(const AttentionHead& head, float* scratch);
};

// Floats of scratch that attend() and gradient_products() need.
int64_t attention_scratch(int64_t length, int64_t size);
int64_t gradient_scratch(int64_t cols);

// The table for this machine. ONEDNN_MAX_CPU_ISA lowers it as it lowers oneDNN.
const Kernels& kernels();

// Whether this machine multiplies bf16; use_bf16() makes all products that do, in this process, from now on:
// the factors are rounded to bf16, sums, weights and all else stay f32. To be called before threads use
// kernels().
bool has_bf16();
void use_bf16();

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
namespace kernels_bf16 {
Kernels table();  // that of AVX-512 with products of bf16
}
#endif

}  // namespace bert::nn
