// The kernels themselves, as source for one instruction set: the including file defines BERT_KERNELS (the
// namespace) and BERT_LANES, and is compiled for that set. It includes no standard header with inline
// functions: one compiled here for AVX-512 might be the copy the linker keeps for everyone.
#include <stdint.h>

#include "nn/kernels.h"

namespace bert::nn::BERT_KERNELS {

#include "nn/kernels_math.h"
#include "nn/kernels_products.h"

// ---- rows

// Rows of y that are asked for before they are written: they lie far apart, where the processor does not look
// ahead, and a store that has to wait for its line holds up those behind it.
static constexpr int64_t kWriteAhead = 12;

template <class Function>
static inline void finish_rows(int64_t rows, int64_t n, const float* tile, int64_t tile_stride,
                               const float* bias, float* y, int64_t y_stride, Function act) {
  for (int64_t row = 0; row < rows; ++row) {
    float* const to = y + row * y_stride;
    const float* const later = row + kWriteAhead < rows ? to + kWriteAhead * y_stride : to;
    for (int64_t i = 0; i < n; i += kLanes) {
      __builtin_prefetch(later + i, 1);
      store(to + i, act(load(tile + row * tile_stride + i) + load(bias + i)));
    }
  }
}

static void finish_tile(int64_t rows, int64_t n, const float* tile, int64_t tile_stride, const float* bias,
                        Activation activation, float* y, int64_t y_stride) {
  const auto with = [=](auto act) { finish_rows(rows, n, tile, tile_stride, bias, y, y_stride, act); };
  switch (activation) {
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

// Σ f(i) over i in [0,n): lane i mod kLanes collects, the lanes are added as a tree.
template <class Whole, class Single>
static inline float sum_over(int64_t n, Whole whole, Single single) {
  Vector sums = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) sums += whole(i);
  for (int64_t lane = 0; i < n; ++i, ++lane) sums[lane] += single(i);
  return sum_lanes(sums);
}

static void layer_norm(int64_t n, const float* x, const float* residual, const float* gain, const float* bias,
                       float epsilon, float* y) {
  if (residual != nullptr) {
    for (int64_t i = 0; i < n; ++i) y[i] = x[i] + residual[i];
  } else {
    for (int64_t i = 0; i < n; ++i) y[i] = x[i];
  }
  const float count = static_cast<float>(n);
  const float mean = sum_over(
                         n, [&](int64_t i) { return load(y + i); }, [&](int64_t i) { return y[i]; }) /
                     count;
  const auto square = [&](auto value) {
    const auto centred = value - mean;
    return centred * centred;
  };
  const float variance =
      sum_over(
          n, [&](int64_t i) { return square(load(y + i)); }, [&](int64_t i) { return square(y[i]); }) /
      count;
  const float scale = 1.0f / __builtin_sqrtf(variance + epsilon);
  for (int64_t i = 0; i < n; ++i) y[i] = (y[i] - mean) * scale * gain[i] + bias[i];
}

static void add(int64_t n, const float* x, float* y) {
  for (int64_t i = 0; i < n; ++i) y[i] += x[i];
}

// to [cols', rows'] = from [rows, cols] transposed, with zeros where it has more rows or columns; rows' is a
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

static void pack_panel(const float* rows, int64_t row_stride, int64_t count, int64_t k, float* panel) {
  transpose(rows, row_stride, count, k, {panel, kPanelWidth, kPanelWidth, round_up(k, 16)});
}

static void pack_rows(const float* rows, int64_t row_stride, int64_t first, int64_t count, int64_t cols,
                      float* panel) {
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t j = 0; j < cols; ++j) panel[(first + i) * kPanelWidth + j] = rows[i * row_stride + j];
  }
}

// Row of logits [n] -> gradient of weight·(-ln softmax[gold]), zero up to the next 64.
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
  const int64_t padded = round_up(n, kPanelWidth);
  for (i = n; i < padded; ++i) logits[i] = best;
  double sum = 0;  // of parts: thousands of numbers in one float would lose digits
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

// scores [length, rounded up] -> e^((s - max)·scale), zero beyond length; returns 1 / their sum.
static float exponentials(float* scores, int64_t length, int64_t padded, float scale) {
  const int64_t whole = length / kLanes * kLanes;
  Vector best = all(scores[0]);
  for (int64_t i = 0; i < whole; i += kLanes) best = max_of(best, load(scores + i));
  for (int64_t i = whole; i < padded; i += kLanes) {
    best = select(lanes_below(length - i), max_of(best, load(scores + i)), best);
  }
  const float most = max_lanes(best);
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

// Scratch: kᵀ [size, length'], v [length, size'], scores [rows, length'], out [rows, size'], the dashes
// meaning rounded up to 16.
static void attend(const AttentionHead& head, float* scratch) {
  const int64_t length = round_up(head.length, 16), size = round_up(head.size, 16);
  float* kt = scratch;
  float* padded = kt + head.size * length;
  float* scores = padded + head.length * size;
  float* out = scores + kAttentionRows * length;
  transpose(head.k, head.kv_stride, head.length, head.size, {kt, length, length, head.size});
  const bool whole = head.size == size;  // no copy is needed to have whole vectors
  for (int64_t j = 0; !whole && j < head.length; ++j) {
    for (int64_t i = 0; i < size; ++i)
      padded[j * size + i] = i < head.size ? head.v[j * head.kv_stride + i] : 0.0f;
  }
  const float* v = whole ? head.v : padded;
  const int64_t v_stride = whole ? head.kv_stride : size;
  for (int64_t from = 0; from < head.rows; from += kAttentionRows) {
    const int64_t rows = head.rows - from < kAttentionRows ? head.rows - from : kAttentionRows;
    product_into<Into::replace>(rows, length, head.size, head.q + from * head.q_stride, head.q_stride, kt,
                                length, scores, length);
    float inverse[kAttentionRows];
    for (int64_t row = 0; row < rows; ++row) {
      inverse[row] = exponentials(scores + row * length, head.length, length, head.scale);
    }
    product_into<Into::replace>(rows, size, head.length, scores, length, v, v_stride, out, size);
    for (int64_t row = 0; row < rows; ++row) {
      float* to = head.out + (from + row) * head.out_stride;
      for (int64_t i = 0; i < head.size; ++i) to[i] = out[row * size + i] * inverse[row];
    }
  }
}

extern const Kernels kTable;
const Kernels kTable = {
    .name = BERT_KERNELS_NAME,
    .panel_products = panel_products,
    .gradient_products = gradient_products,
    .strided_products = strided_products,
    .softmax_gradient = softmax_gradient,
    .finish_tile = finish_tile,
    .layer_norm = layer_norm,
    .add = add,
    .pack_panel = pack_panel,
    .pack_rows = pack_rows,
    .attend = attend,
};

}  // namespace bert::nn::BERT_KERNELS
