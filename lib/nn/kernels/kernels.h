// Loops that oneDNN does not provide: one table for each instruction set. Layers use that of their Context.
//
// A row is always computed by the same operations in the same order, so results do not depend on the number
// of rows in a call or on threads. Between instruction sets, results differ in the last bits.
#pragma once

#include <cstdint>

#include "nn/activation.h"
#include "nn/dropout.h"

namespace bert::nn {

enum class Into { replace, add };  // what a product does to its destination

// Softmax of a row: max is the highest logit, first found at `best`; sum is Σ e^(logit - max).
struct SoftmaxResult {
  float max;
  double sum;
  float gold;  // logit of the gold class
  int64_t best;
};

// A row of f32 as u8: numbers are scale·(byte - zero). If it has NaN or infinity, the scale is NaN.
struct QuantizedRow {
  float scale;
  int32_t zero;
};

// Keys [begin, end) of a sequence.
struct KeyRange {
  int64_t begin, end;
};

// What relative positions add to the scores of a head (relative_positions.h): for query i and key j
//
//   q[i]·keys[r] + k[j]·queries[r]        r = row_of[j - position of i] - first
//
// keys and queries [rows, size] are of the head's columns; nullptr: that term is not added.
struct RelativeRows {
  const float *keys = nullptr, *queries = nullptr;
  int64_t stride = 0;
  int64_t first = 0, rows = 0;
  const int32_t* row_of = nullptr;  // by distance; nullptr: no such positions
};

// One head of one sequence: computes softmax((q·kᵀ + bias + that of relative positions)·scale)·v. q [rows,
// size] is some or all of the sequence's queries, k and v [length, size] are complete. Pointers are to the
// head's columns, strides in floats.
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
  // The keys that each query attends to, at least one; [rows], both ends ascending. nullptr: all attend to
  // all keys.
  const KeyRange* seen = nullptr;
  // Bias of query i and key j: bias[j - position of i]. The position of query i among the keys is
  // positions[i], or i without positions. nullptr: no bias.
  const float* bias = nullptr;
  const int64_t* positions = nullptr;
  RelativeRows relative = {};           // not together with `seen`
  bool in_pairs = false;                // q, k and v are pairs of bf16 in place of floats; size: of 16
  const AttentionHead* next = nullptr;  // prefetch hint: the head likely to come next
};

// Dropout of one head's attention probabilities; rows are queries.
struct DroppedProbabilities {
  DropoutKey key = {};
  DropoutRate rate;
};

// Backward of one head of one sequence: all as in forward; head.out is not used.
struct AttentionHeadGradient {
  AttentionHead head;
  DroppedProbabilities dropped;
  const float* dout;  // [rows, size]
  int64_t dout_stride;
  float* dq;  // [rows, size], overwritten
  int64_t dq_stride;
  float *dk, *dv;  // [length, size], overwritten
  int64_t dkv_stride;
  const AttentionHeadGradient* next;  // prefetch hint: the head likely to come next, or nullptr
  float* dbias = nullptr;             // like head.bias, added to; nullptr: not needed
  // Like the keys and queries of head.relative, which they must be there for; added to.
  float *dposition_keys = nullptr, *dposition_queries = nullptr;
  int64_t dposition_stride = 0;
};

// One of the two networks that a relation compares: (x·yᵀ + bias)·scale, x and y [length, size]. Pointers are
// to the head's columns.
struct RelationSide {
  const float* x;
  const float* y;
  int64_t stride;
  int64_t size;
  float scale;
  const float* bias = nullptr;  // see AttentionHead
};

// One head of one sequence. The heads of student and teacher may have other sizes. The loss of a row is
// KL(softmax of the teacher's || softmax of the student's), or the mean of the squared differences.
struct RelationHead {
  RelationSide student, teacher;
  int64_t length;
  bool divergence;
  float weight;
  float *dx, *dy;  // weight·the gradient of the student's x and y is added; both may be the same; or nullptr
  int64_t gradient_stride;
};

// One step of Adam for one array:
//
//   m += (1 - β1)·(g' - m)    v += (1 - β2)·(g'² - v)    g' = gradient_scale·g
//   r  = m_scale·m / (v_scale·√v + epsilon) + decay·p
//   p -= rate·r
//
// The moments are written this way because β2 = 0.999 rounded to f32 would give v a relative error of 1.3e-5.
// Moments below 1e-34 become 0: without gradients they would otherwise decay into denormal numbers, which are
// many times slower, and √v of them is negligible next to any epsilon above 1e-12.
struct AdamStep {
  float gradient_scale = 1;
  float m_step = 0;                // 1 - β1
  float v_step = 0;                // 1 - β2
  float m_scale = 1, v_scale = 1;  // bias correction
  float epsilon = 0;
  float decay = 0;
  float rate = 0;
};

struct SquareSums {
  double p = 0, r = 0;
};

// A column of weights as integers: numbers are scale·integer. If it has NaN or infinity, the scale is NaN.
struct QuantizedColumn {
  float scale;
  int32_t sum;  // of the integers
};

constexpr float kLeastRange = 1e-30f;   // smaller ranges of numbers are quantized to 0
constexpr int64_t kSoftmaxPart = 1024;  // numbers added in f32 before the sum continues in double
constexpr int64_t kAttentionRows = 48;  // rows of scores at a time, so that they fit in the cache
// The same for factors. With AttentionHead::seen, the depth is that of the columns, where the keys of a block
// of rows begin, so that each row is added up in the same parts in any block.
constexpr int64_t kAttentionColumns = 64, kAttentionDepth = 96;

// Lowest and highest of some numbers and 0.
struct Range {
  float low = 0, high = 0;
};

// QuantizedColumn of some columns.
struct IntegerColumns {
  const float* scales = nullptr;
  const int32_t* sums = nullptr;
};

// Sums of products: f32, or int32 of bytes and integers.
struct RawColumns {
  const float* numbers = nullptr;
  const float* bias = nullptr;
  IntegerColumns integers = {};
};

// From these, y = act(numbers + bias), or act(numbers + bias)∘(gate + its bias), or numbers + bias +
// residual.
struct RawTile {
  int64_t rows, columns;  // columns: a multiple of 16
  int64_t stride;         // of the numbers
  RawColumns layer, gate = {};
  Activation activation = Activation::none;
  const QuantizedRow* quantized = nullptr;  // the rows of bytes; nullptr: f32
  // If y is to be quantized: gets the range of each of its rows, ranges_stride apart; only of int32. GELU is
  // rough then, as for y in bf16 (kernels/math.h).
  Range* ranges = nullptr;
  int64_t ranges_stride = 0;
  const float* residual = nullptr;  // [rows, columns]; without activation, gate and ranges
  int64_t residual_stride = 0;
};

// Columns of a panel of weights (panels.h), by the lanes of a vector: oneDNN has layouts for AVX-512.
template <int64_t kLanes>
constexpr int64_t kPanelColumns = kLanes == 16 ? 64 : 128;

// Products of rows of x with a panel of weights. Each number of x and of the panel is one of 4 bytes: a
// float, two bf16, or four integers.
struct PanelProduct {
  int64_t rows, depth;
  const float* x;  // some rows more are read, up to a multiple of 6
  int64_t x_stride;
  const float* panel;
  const float* next;  // prefetch hint: where the panel likely to come next begins, or nullptr
  float* sums;        // [rows, columns], and some rows more
};

struct Kernels {
  const char* name;

  // y += x, n numbers.
  void (*add)(int64_t n, const float* x, float* y);

  // to [cols, stride] = from [rows, cols] transposed, rows ≤ stride, a multiple of 16; zero beyond the rows.
  void (*transpose)(int64_t rows, int64_t cols, const float* from, int64_t from_stride, float* to,
                    int64_t stride);

  // Rounds n numbers to bf16 as from_f32 does (base/dtype.h), except that those below the smallest normal
  // number may become 0.
  void (*to_bf16)(int64_t n, const float* from, uint16_t* to);
  // Pairs of bf16 of the rows 2i and 2i + 1: to [rows / 2 rounded up, cols rounded up to 16], zero-padded.
  void (*pair_rows_bf16)(int64_t rows, int64_t cols, const float* from, int64_t from_stride, float* to,
                         int64_t stride);

  // The range of n numbers; NaN is skipped.
  Range (*range_of)(int64_t n, const float* x);
  // Quantizes n numbers to 255 equal steps over their range, which is range_of them.
  QuantizedRow (*quantize)(int64_t n, const float* x, Range range, uint8_t* bytes);

  // Each sum is one chain of multiply-adds. nullptr: this table has none.
  void (*multiply_panel)(const PanelProduct& product);
  void (*multiply_panel_i8)(const PanelProduct& product);
  void (*multiply_panel_bf16)(const PanelProduct& product);

  // Quantizes n numbers to integers from -most to most.
  QuantizedColumn (*quantize_column)(int64_t n, const float* x, float most, int8_t* integers);

  // y [rows, columns], in f32 or bf16.
  void (*finish_tile)(const RawTile& tile, float* y, int64_t y_stride);
  void (*finish_tile_bf16)(const RawTile& tile, uint16_t* y, int64_t y_stride);

  // y = x∘y, n numbers.
  void (*multiply)(int64_t n, const float* x, float* y);

  // Turns pairs (x[i], x[i + n]) by an angle: (x·cos - y·sin, y·cos + x·sin). cos and sin [n]. The inverse
  // has sign -1, otherwise 1.
  void (*rotate)(int64_t n, const float* cos, const float* sin, float sign, float* x);

  // y = act(x) and dx = dy·act'(x), n numbers. dx may be dy, y may be x.
  void (*activation_backward)(int64_t n, Activation activation, const float* x, const float* dy, float* y,
                              float* dx);

  // y = (x - mean(x)) / sqrt(var(x) + epsilon) · gain + bias, n numbers; y may be x.
  void (*layer_norm)(int64_t n, const float* x, const float* gain, const float* bias, float epsilon,
                     float* y);

  // For s, the input of layer_norm: sets dx to the gradient of s; dgain += dy∘x̂ and dbias += dy. n numbers;
  // dx may be dy.
  void (*layer_norm_backward)(int64_t n, const float* s, const float* gain, float epsilon, const float* dy,
                              float* dx, float* dgain, float* dbias);

  // y = x·keep·scale + residual (may be nullptr), one row of n numbers; y may be x or the residual. keep is
  // given by DropoutKey at (column, row), equal in all tables. Skips the random numbers if the rate is not
  // active.
  void (*drop)(int64_t n, DropoutKey key, uint32_t row, DropoutRate rate, const float* x,
               const float* residual, float* y);

  // Attention and its backward pass. Scratch for both: attention_scratch.
  void (*attend)(const AttentionHead& head, const DroppedProbabilities& dropped, float* scratch);
  // With products of bf16, without head.relative; alone takes pairs. nullptr: this processor has no such
  // products.
  void (*attend_bf16)(const AttentionHead& head, const DroppedProbabilities& dropped, float* scratch);
  void (*attend_backward)(const AttentionHeadGradient& gradient, float* scratch);

  // The sum of the losses of a head's rows. Scratch: relation_scratch.
  double (*relate)(const RelationHead& head, float* scratch);

  // Replaces the logits of one row [n] by the gradient of -weight·ln softmax[gold], and sets the padding up
  // to a multiple of 64 to zero.
  SoftmaxResult (*softmax_gradient)(int64_t n, float* logits, int64_t gold, float weight);

  // The loops below process whole arrays and are limited by memory bandwidth, so each array is read and
  // written once. n is a multiple of 16; the padding between tensors of Params is zero and remains so.

  // Moments and parameters in one pass.
  void (*adam)(int64_t n, const AdamStep& step, const float* g, float* m, float* v, float* p);

  // Only the moments, and Σ p² and Σ r².
  SquareSums (*adam_moments)(int64_t n, const AdamStep& step, const float* g, float* m, float* v,
                             const float* p);

  // Only p -= rate·r.
  void (*adam_apply)(int64_t n, const AdamStep& step, const float* m, const float* v, float* p);

  // Σ x² in double precision, in which squares of floats are exact. Number i is added to sum i mod 16, and
  // the sums are added as a tree, so all tables give the same bits.
  double (*sum_of_squares)(int64_t n, const float* x);

  // Σ x·y in f32 of n numbers, for vectors in any order.
  float (*dot)(int64_t n, const float* x, const float* y);

  // Σ x·y of n integers, exact.
  int32_t (*dot_bytes)(int64_t n, const uint8_t* x, const int8_t* y);
};

// Scratch memory in floats. Each part is a multiple of 16.
int64_t attention_scratch(int64_t length, int64_t size, int64_t position_rows = 0);
int64_t relation_scratch(int64_t length, int64_t size, int64_t teacher_size);

// The best table that this processor can run. ONEDNN_MAX_CPU_ISA limits it as it limits oneDNN.
const Kernels& usable_kernels();

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
// What further instructions make faster.
namespace kernels_avx2_vnni {
void use(Kernels& table);
}
namespace kernels_avx512_vnni {
void use(Kernels& table);
}
namespace kernels_avx512_bf16 {
void use(Kernels& table);
}
#endif

}  // namespace bert::nn
