// Source of the kernels for one instruction set. The including file defines BERT_KERNELS (the namespace) and
// BERT_LANES and is compiled for that set. No standard header with inline functions is included here, because
// the linker might keep a copy compiled for AVX-512 for the whole program. Intrinsics are always inline.
#if defined(__AVX2__)
#include <immintrin.h>
#endif
#include <stdint.h>

#include "nn/kernels/kernels.h"

namespace bert::nn::BERT_KERNELS {

#include "nn/kernels/math.h"
#include "nn/kernels/products.h"
// These use the former.
#include "nn/kernels/bf16.h"
#include "nn/kernels/finish.h"
#include "nn/kernels/transpose.h"

// ---- rows

// Σ f(i) over i in [0,n), f(load, i) for whole vectors: lane i mod kLanes of one of 1 or 4 independent chains
// of additions accumulates, and the lanes are added as a tree.
template <int64_t kChains, class Function>
static inline float sum_over(int64_t n, Function f) {
  Vector sums[kChains] = {};
  int64_t i = 0;
  for (; i + kChains * kLanes <= n; i += kChains * kLanes) {
    UNROLLED for (int64_t chain = 0; chain < kChains; ++chain) sums[chain] += f(load, i + chain * kLanes);
  }
  for (; i + kLanes <= n; i += kLanes) sums[0] += f(load, i);
  const auto single = [](const float* p) { return *p; };
  for (int64_t lane = 0; i < n; ++i, ++lane) sums[kChains > 1][lane] += f(single, i);
  if constexpr (kChains == 1) {
    return sum_lanes(sums[0]);
  } else {
    return sum_lanes((sums[0] + sums[1]) + (sums[2] + sums[3]));
  }
}

struct Moments {
  float mean, variance;
};
template <int64_t kChains>
static inline Moments moments_of(int64_t n, const float* x) {
  const float count = static_cast<float>(n);
  const float mean = sum_over<kChains>(n, [&](auto at, int64_t i) { return at(x + i); }) / count;
  const auto square = [&](auto at, int64_t i) {
    const auto centred = at(x + i) - mean;
    return centred * centred;
  };
  return {mean, sum_over<kChains>(n, square) / count};
}

static void layer_norm(int64_t n, const float* x, const float* gain, const float* bias, float epsilon,
                       float* y) {
  const auto [mean, variance] = moments_of<1>(n, x);
  const float scale = 1.0f / __builtin_sqrtf(variance + epsilon);
  for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * scale * gain[i] + bias[i];
}

static void multiply(int64_t n, const float* x, float* y) {
  for (int64_t i = 0; i < n; ++i) y[i] *= x[i];
}

static void rotate(int64_t n, const float* cos, const float* sin, float sign, float* x) {
  for (int64_t i = 0; i < n; ++i) {
    const float first = x[i], second = x[n + i], turn = sin[i] * sign;
    x[i] = first * cos[i] - second * turn;
    x[n + i] = second * cos[i] + first * turn;
  }
}

// ---- integers

static QuantizedRow quantize(int64_t n, const float* x, Range range, uint8_t* bytes) {
  typedef uint8_t Bytes __attribute__((vector_size(kLanes), aligned(1), may_alias));
  const float width = range.high - range.low, steps = width > kLeastRange ? 255 / width : 0;
  const float zero = static_cast<float>(static_cast<int32_t>(0.5f - range.low * steps)),
              rounding = zero + 0.5f;
  // Zero and the highest number may both be rounded up, if -low is like 127.5 steps.
  constexpr float kMost = 255.5f;
  Vector checks = {};  // NaN if a number is not finite
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const Vector v = load(x + i);
    checks += v * 0.0f;
    const Integers whole = __builtin_convertvector(min_of(bound(kMost), v * steps + rounding), Integers);
    *reinterpret_cast<Bytes*>(bytes + i) = __builtin_convertvector(whole, Bytes);
  }
  float check = sum_lanes(checks);
  for (; i < n; ++i) {
    check += x[i] * 0.0f;
    const float number = x[i] * steps + rounding;
    bytes[i] = static_cast<uint8_t>(check == 0 && number < kMost ? static_cast<int32_t>(number) : 255);
  }
  if (!(check == 0)) return {.scale = check, .zero = 0};
  return {.scale = width / 255, .zero = static_cast<int32_t>(zero)};
}

static QuantizedColumn quantize_column(int64_t n, const float* x, float most, int8_t* integers) {
  const auto [low, high] = range_of(n, x);
  const float check = sum_over<4>(n, [&](auto at, int64_t i) { return at(x + i) * 0.0f; });
  const float largest = high > -low ? high : -low;
  const float factor = check == 0 && largest > kLeastRange ? most / largest : 0;
  int32_t sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    // Adding kRound leaves no bits for the fraction, so the sum is rounded to the nearest integer.
    constexpr float kRound = 3 << 22;
    const float rounded = x[i] * factor + kRound - kRound;
    const int32_t integer = factor == 0 ? 0 : static_cast<int32_t>(rounded);
    integers[i] = static_cast<int8_t>(integer);
    sum += integer;
  }
  return {.scale = largest / most + check, .sum = sum};
}

// Row of logits [n] -> gradient of weight·(-ln softmax[gold]), zero-padded to a multiple of 64.
static SoftmaxResult softmax_gradient(int64_t n, float* logits, int64_t gold, float weight) {
  float best = logits[0];
  int64_t i = 0;
  if (n >= kLanes) {
    Vector most = load(logits);
    for (i = kLanes; i + kLanes <= n; i += kLanes) most = max_of(most, load(logits + i));
    best = max_lanes(most);
  }
  for (; i < n; ++i) best = logits[i] > best ? logits[i] : best;
  SoftmaxResult result = {.max = best, .sum = 0, .gold = logits[gold], .best = place_of(best, logits, n)};
  const int64_t padded = round_up(n, kAttentionColumns);
  for (i = n; i < padded; ++i) logits[i] = best;
  double sum = 0;  // sum of parts, because a float sum of thousands of numbers loses digits
  for (int64_t from = 0; from < n; from += kSoftmaxPart) {
    const int64_t end = n - from < kSoftmaxPart ? round_up(n, kLanes) : from + kSoftmaxPart;
    Vector sums = {};
    for (i = from; i < end; i += kLanes) {
      const Vector e = exp_of(load(logits + i) - best);
      store(logits + i, e);
      if (i + kLanes <= n) sums += e;
    }
    sum += sum_lanes(sums);
  }
  for (i = n / kLanes * kLanes; i < n; ++i) sum += logits[i];
  result.sum = sum;
  const Vector factor = all(static_cast<float>(weight / sum));
  for (i = 0; i < n; i += kLanes) store(logits + i, load(logits + i) * factor);
  logits[gold] -= weight;
  for (i = n; i < padded; ++i) logits[i] = 0;
  return result;
}

#include "nn/kernels/attention.h"
#include "nn/kernels/attention_backward.h"
#include "nn/kernels/dot.h"
#include "nn/kernels/optimizer.h"
#include "nn/kernels/relation.h"
#include "nn/kernels/training.h"

extern const Kernels kTable;
const Kernels kTable = {
    .name = BERT_KERNELS_NAME,
    .add = add,
    .transpose = transpose_rows,
    .to_bf16 = to_bf16,
    .pair_rows_bf16 = pair_rows_bf16,
    .range_of = range_of,
    .quantize = quantize,
#if BERT_LANES >= 8
    .multiply_panel = multiply_panel<Floats>,
    .multiply_panel_i8 = multiply_panel<Quads>,
#else
    .multiply_panel = nullptr,
    .multiply_panel_i8 = nullptr,
#endif
    .multiply_panel_bf16 = nullptr,
    .quantize_column = quantize_column,
    .finish_tile = finish_tile,
    .finish_tile_bf16 = finish_tile_bf16,
    .multiply = multiply,
    .rotate = rotate,
    .activation_backward = activation_backward,
    .layer_norm = layer_norm,
    .layer_norm_backward = layer_norm_backward,
    .drop = drop,
    .attend = attend<Floats>,
    .attend_bf16 = nullptr,
    .attend_backward = attend_backward,
    .relate = relate,
    .softmax_gradient = softmax_gradient,
    .adam = adam,
    .adam_moments = adam_moments,
    .adam_apply = adam_apply,
    .sum_of_squares = sum_of_squares,
    .dot = dot,
    .dot_bytes = dot_bytes,
};

}  // namespace bert::nn::BERT_KERNELS
