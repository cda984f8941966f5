// Source of the kernels for one instruction set. The including file defines BERT_KERNELS (the namespace) and
// BERT_LANES and is compiled for that set. No standard header with inline functions is included here, because
// the linker might keep a copy compiled for AVX-512 for the whole program.
#include <stdint.h>

#include "nn/kernels/kernels.h"

namespace bert::nn::BERT_KERNELS {

#include "nn/kernels/math.h"
#include "nn/kernels/products.h"

// ---- bf16

// Rounds the upper half according to the lower half. A NaN remains a NaN.
template <class Bits>
static inline Bits upper_half(Bits bits) {
  const Bits rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16, nan = bits >> 16 | 0x40u;
  return (bits & 0x7fffffffu) > 0x7f800000u ? nan : rounded;
}

static inline void store(uint16_t* to, Vector v) {
  typedef uint32_t Bits __attribute__((vector_size(4 * kLanes)));
  typedef uint16_t Halves __attribute__((vector_size(2 * kLanes), aligned(2), may_alias));
  *reinterpret_cast<Halves*>(to) = __builtin_convertvector(upper_half(reinterpret_cast<Bits>(v)), Halves);
}

static void to_bf16(int64_t n, const float* from, uint16_t* to) {
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(to + i, load(from + i));
  typedef uint32_t One __attribute__((may_alias));
  for (; i < n; ++i)
    to[i] = static_cast<uint16_t>(upper_half<uint32_t>(*reinterpret_cast<const One*>(from + i)));
}

// ---- rows

// Rows of y to prefetch ahead: they are too far apart for the hardware prefetcher, and a store that waits for
// its cache line blocks those after it.
static constexpr int64_t kWriteAhead = 12;

// y has f32 or bf16.
template <bool kGated, class Number, class Function>
static inline void finish_rows(const RawTile& tile, Number* y, int64_t y_stride, Function act) {
  for (int64_t row = 0; row < tile.rows; ++row) {
    const int64_t from = row * tile.stride;
    Number* const to = y + row * y_stride;
    const Number* const later = row + kWriteAhead < tile.rows ? to + kWriteAhead * y_stride : to;
    for (int64_t i = 0; i < tile.columns; i += kLanes) {
      __builtin_prefetch(later + i, 1);
      const Vector x = act(load(tile.numbers + from + i) + load(tile.bias + i));
      store(to + i, kGated ? (load(tile.gate + from + i) + load(tile.gate_bias + i)) * x : x);
    }
  }
}

template <class Number>
static void finish_tile(const RawTile& tile, Number* y, int64_t y_stride) {
  const auto with = [&](auto act) {
    return tile.gate == nullptr ? finish_rows<false>(tile, y, y_stride, act)
                                : finish_rows<true>(tile, y, y_stride, act);
  };
  switch (tile.activation) {
    case Activation::none:
      return with([](Vector x) { return x; });
    case Activation::gelu:
      return with([](Vector x) { return gelu(x); });
    case Activation::gelu_tanh:
      return with([](Vector x) { return gelu_tanh(x); });
    case Activation::relu:
      return with([](Vector x) { return relu(x); });
    case Activation::silu:
      return with([](Vector x) { return silu(x); });
    case Activation::tanh:
      return with([](Vector x) { return tanh_of(x); });
  }
}

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

static void add(int64_t n, const float* x, float* y) {
  for (int64_t i = 0; i < n; ++i) y[i] += x[i];
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

// to [cols', rows'] = from [rows, cols] transposed, zero-padded if rows' or cols' is larger. rows' is a
// multiple of kLanes.
struct Transposed {
  float* to;
  int64_t stride;
  int64_t rows, cols;  // rows', cols'
};
static void transpose(const float* from, int64_t stride, int64_t rows, int64_t cols, Transposed out) {
  for (int64_t row = 0; row < out.rows; row += kLanes) {
    for (int64_t col = 0; col < out.cols; col += kLanes) {
      float* const square = out.to + col * out.stride + row;
      if (row + kLanes <= rows && col + kLanes <= cols) {
        transpose_square(from + row * stride + col, stride, square, out.stride);
        continue;
      }
      for (int64_t i = 0; i < kLanes && col + i < out.cols; ++i) {
        for (int64_t j = 0; j < kLanes; ++j) {
          const bool inside = row + j < rows && col + i < cols;
          square[i * out.stride + j] = inside ? from[(row + j) * stride + col + i] : 0.0f;
        }
      }
    }
  }
}

static void transpose_rows(int64_t rows, int64_t cols, const float* from, int64_t from_stride, float* to,
                           int64_t stride) {
  transpose(from, from_stride, rows, cols, {to, stride, stride, cols});
}

// ---- integers

// Extremes of n numbers and 0; check is NaN if one of them is not finite.
struct Extremes {
  float low, high, check;
};
static Extremes extremes_of(int64_t n, const float* x) {
  Vector least = {}, most = {}, check = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const Vector v = load(x + i);
    least = min_of(v, least);
    most = max_of(v, most);
    check += v * 0.0f;
  }
  Extremes found = {-max_lanes(-least), max_lanes(most), sum_lanes(check)};
  for (; i < n; ++i) {
    found.low = x[i] < found.low ? x[i] : found.low;
    found.high = x[i] > found.high ? x[i] : found.high;
    found.check += x[i] * 0.0f;
  }
  return found;
}

static QuantizedRow quantize(int64_t n, const float* x, uint8_t* bytes) {
  const auto [low, high, check] = extremes_of(n, x);
  if (!(check == 0)) return {.scale = check, .zero = 0};
  const float steps = high - low > kLeastRange ? 255 / (high - low) : 0;
  const float zero = static_cast<float>(static_cast<int32_t>(0.5f - low * steps));
  for (int64_t i = 0; i < n; ++i)
    bytes[i] = static_cast<uint8_t>(static_cast<int32_t>(x[i] * steps + zero + 0.5f));
  return {.scale = (high - low) / 255, .zero = static_cast<int32_t>(zero)};
}

static QuantizedColumn quantize_column(int64_t n, const float* x, float most, int8_t* integers) {
  const auto [low, high, check] = extremes_of(n, x);
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

static void dequantize(int64_t n, QuantizedRow row, const float* scales, const int32_t* sums,
                       int32_t* products) {
  float* const numbers = reinterpret_cast<float*>(products);
  for (int64_t i = 0; i < n; i += kLanes) {
    const Integers whole = *reinterpret_cast<const Integers*>(products + i) -
                           *reinterpret_cast<const Integers*>(sums + i) * row.zero;
    store(numbers + i, __builtin_convertvector(whole, Vector) * (load(scales + i) * row.scale));
  }
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

// ---- attention

// The largest of scores [length, rounded up].
static inline float most_of(const float* scores, int64_t length) {
  const int64_t whole = length / kLanes * kLanes;
  Vector best = all(scores[0]);
  for (int64_t i = 0; i < whole; i += kLanes) best = max_of(best, load(scores + i));
  for (int64_t i = whole; i < length; i += kLanes)
    best = select(lanes_below(length - i), max_of(best, load(scores + i)), best);
  return max_lanes(best);
}

// scores [length, rounded up] -> e^((s - max)·scale), zero beyond length; returns 1 / their sum.
static float exponentials(float* scores, int64_t length, int64_t padded, float scale) {
  const int64_t whole = length / kLanes * kLanes;
  const float most = most_of(scores, length);
  Vector sums = {};
  const auto exponential = [&](int64_t i) { return exp_of((load(scores + i) - most) * scale); };
  const auto put = [&](int64_t i, Vector e) {
    store(scores + i, e);
    sums += e;
  };
  for (int64_t i = 0; i < whole; i += kLanes) put(i, exponential(i));
  for (int64_t i = whole; i < padded; i += kLanes) {
    put(i, select(lanes_below(length - i), exponential(i), Vector{}));
  }
  return 1.0f / sum_lanes(sums);
}

#include "nn/kernels/attention.h"
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
    .quantize = quantize,
    .quantize_column = quantize_column,
    .dequantize = dequantize,
    .finish_tile = finish_tile<float>,
    .finish_tile_bf16 = finish_tile<uint16_t>,
    .multiply = multiply,
    .rotate = rotate,
    .activation_backward = activation_backward,
    .layer_norm = layer_norm,
    .layer_norm_backward = layer_norm_backward,
    .drop = drop,
    .attend = attend,
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
