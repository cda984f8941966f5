// The kernels themselves, as source for one instruction set: the including file defines BERT_KERNELS (the
// namespace) and BERT_LANES, and is compiled for that set. It includes no standard header with inline
// functions: one compiled here for AVX-512 might be the copy the linker keeps for everyone.
#include <stdint.h>

#include "nn/kernels.h"

namespace bert::nn::BERT_KERNELS {

#include "nn/kernels_math.h"

// ---- products

// How the left factor a [m,k] of a product lies: as it is, rows a_stride apart, or transposed.
enum class Left { rows, transposed };

// Unrolled before arrays are given registers; else they pass through memory at the start and the end of a
// block.
#define UNROLLED _Pragma("GCC unroll 8")

// Rows of b that are asked for before they are needed. A panel is a stream from memory, and the processor's
// own prefetching stops at each 4 KiB, which are 16 rows of it: a third of the time for few rows of x.
static constexpr int64_t kPrefetchAhead = 16;

// A block of kRows × kVectors·kLanes numbers stays in registers over the whole of k: each is one chain of
// fused multiply-adds in the order of k, so neither the block's place nor its shape changes a bit.
template <Into kInto, Left kLeft, int kRows, int kVectors>
static inline void product_block(int64_t k, const float* a, int64_t a_stride, const float* b,
                                 int64_t b_stride, float* c, int64_t c_stride) {
  Vector sums[kRows][kVectors];
  UNROLLED for (int r = 0; r < kRows; ++r) {
    UNROLLED for (int v = 0; v < kVectors; ++v) sums[r][v] = Vector{};
  }
  for (int64_t i = 0; i < k; ++i) {
    Vector columns[kVectors];
    UNROLLED for (int v = 0; v < kVectors; ++v) {
      columns[v] = load(b + i * b_stride + v * kLanes);
      __builtin_prefetch(b + (i + kPrefetchAhead) * b_stride + v * kLanes);
    }
    UNROLLED for (int r = 0; r < kRows; ++r) {
      const Vector factor = all(kLeft == Left::rows ? a[r * a_stride + i] : a[i * a_stride + r]);
      UNROLLED for (int v = 0; v < kVectors; ++v) sums[r][v] += factor * columns[v];
    }
  }
  UNROLLED for (int r = 0; r < kRows; ++r) {
    UNROLLED for (int v = 0; v < kVectors; ++v) {
      float* to = c + r * c_stride + v * kLanes;
      store(to, kInto == Into::add ? load(to) + sums[r][v] : sums[r][v]);
    }
  }
}

static constexpr int kBlockRows = 6;
static constexpr int kBlockVectors = BERT_LANES == 16 ? 4 : 2;

template <Into kInto, Left kLeft, int kVectors>
static inline void product_columns(int64_t m, int64_t k, const float* a, int64_t a_stride, const float* b,
                                   int64_t b_stride, float* c, int64_t c_stride) {
  const int64_t a_row = kLeft == Left::rows ? a_stride : 1;
  int64_t row = 0;
  for (; row + kBlockRows <= m; row += kBlockRows) {
    product_block<kInto, kLeft, kBlockRows, kVectors>(k, a + row * a_row, a_stride, b, b_stride,
                                                      c + row * c_stride, c_stride);
  }
  for (; row + 2 <= m; row += 2) {
    product_block<kInto, kLeft, 2, kVectors>(k, a + row * a_row, a_stride, b, b_stride, c + row * c_stride,
                                             c_stride);
  }
  if (row < m) {
    product_block<kInto, kLeft, 1, kVectors>(k, a + row * a_row, a_stride, b, b_stride, c + row * c_stride,
                                             c_stride);
  }
}

template <Into kInto, Left kLeft = Left::rows>
static void product_into(int64_t m, int64_t n, int64_t k, const float* a, int64_t a_stride, const float* b,
                         int64_t b_stride, float* c, int64_t c_stride) {
  constexpr int64_t kWide = kBlockVectors * kLanes;
  int64_t column = 0;
  for (; column + kWide <= n; column += kWide) {
    product_columns<kInto, kLeft, kBlockVectors>(m, k, a, a_stride, b + column, b_stride, c + column,
                                                 c_stride);
  }
  for (; column + 2 * kLanes <= n; column += 2 * kLanes) {
    product_columns<kInto, kLeft, 2>(m, k, a, a_stride, b + column, b_stride, c + column, c_stride);
  }
  for (; column < n; column += kLanes) {
    product_columns<kInto, kLeft, 1>(m, k, a, a_stride, b + column, b_stride, c + column, c_stride);
  }
}

// ---- rows

static inline int64_t round_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

static void panel_products(int64_t rows, int64_t depth, const float* x, int64_t x_stride, int64_t panels,
                           const float* const* panel, float* tiles) {
  constexpr int64_t kWidth = kPanelWidth;
  const int64_t parts = (depth + kLongestPart - 1) / kLongestPart,
                part = round_up((depth + parts - 1) / parts, 16);
  for (int64_t from = 0; from < depth; from += part) {
    const int64_t size = depth - from < part ? depth - from : part;
    for (int64_t p = 0; p < panels; ++p) {
      const auto product = from == 0 ? product_into<Into::replace> : product_into<Into::add>;
      product(rows, kWidth, size, x + from, x_stride, panel[p] + from * kWidth, kWidth,
              tiles + p * rows * kWidth, kWidth);
    }
  }
}

// Brings rows of `width` numbers together, which is rounded up to whole vectors: what lies far apart would
// fight for the same few lines of the cache.
static inline void gather(int64_t rows, int64_t width, const float* from, int64_t from_stride, float* to,
                          int64_t to_stride) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < width; j += kLanes)
      store(to + i * to_stride + j, load(from + i * from_stride + j));
  }
}

static void column_sums(int64_t depth, const float* a, int64_t n, float* sums) {
  for (int64_t first = 0; first < n; first += kLanes) {
    Vector sum = {};
    for (int64_t i = 0; i < depth; ++i) sum += load(a + i * kGradientRows + first);
    for (int64_t j = first; j < n && j < first + kLanes; ++j) sums[j] += sum[j - first];
  }
}

// c [rows, cols] = tile [rows, 64], or += it
static inline void put_part(int64_t rows, int64_t cols, const float* tile, Into into, float* c,
                            int64_t c_stride) {
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = 0; i < cols; ++i) {
      const float part = tile[row * kPanelWidth + i];
      c[row * c_stride + i] = into == Into::add ? c[row * c_stride + i] + part : part;
    }
  }
}

static void gradient_products(const GradientProduct& g, float* scratch) {
  constexpr int64_t kWidth = kPanelWidth, kRows = kGradientRows, kDepth = kLongestPart;
  const int64_t panels = (g.cols + kWidth - 1) / kWidth;
  float* const left = scratch;
  float* const tile = left + kDepth * kRows;
  float* const right = tile + kRows * kWidth;
  for (int64_t from = 0; from < g.depth; from += kDepth) {
    const int64_t depth = g.depth - from < kDepth ? g.depth - from : kDepth;
    const Into into = from == 0 ? g.into : Into::add;
    const auto product = into == Into::replace ? product_into<Into::replace, Left::transposed>
                                               : product_into<Into::add, Left::transposed>;
    for (int64_t i = 0; i < depth; ++i) {  // whole rows, since that is how memory likes to be read
      gather(panels, kWidth, g.x + (from + i) * g.x_stride, kWidth, right + i * kWidth, kDepth * kWidth);
    }
    for (int64_t row = 0; row < g.rows; row += kRows) {
      const int64_t rows = g.rows - row < kRows ? g.rows - row : kRows;
      gather(depth, rows, g.dy + from * g.dy_stride + row, g.dy_stride, left, kRows);
      if (g.db != nullptr) column_sums(depth, left, rows, g.db + row);
      for (int64_t p = 0; p < panels; ++p) {
        const int64_t cols = g.cols - p * kWidth < kWidth ? g.cols - p * kWidth : kWidth;
        const float* panel = right + p * kDepth * kWidth;
        float* const to = g.dw + row * g.dw_stride + p * kWidth;
        if (cols % kLanes == 0) {
          product(rows, cols, depth, left, kRows, panel, kWidth, to, g.dw_stride);
          continue;
        }
        product_into<Into::replace, Left::transposed>(rows, kWidth, depth, left, kRows, panel, kWidth, tile,
                                                      kWidth);
        put_part(rows, cols, tile, into, to, g.dw_stride);
      }
    }
  }
}

static void strided_products(int64_t rows, int64_t depth, const float* x, int64_t x_stride, int64_t cols,
                             const float* w, int64_t w_stride, float* y, int64_t y_stride, float* scratch) {
  for (int64_t from = 0; from < depth; from += kLongestPart) {
    const int64_t part = depth - from < kLongestPart ? depth - from : kLongestPart;
    const auto product = from == 0 ? product_into<Into::replace> : product_into<Into::add>;
    for (int64_t first = 0; first < cols; first += kPanelWidth) {
      const int64_t width = cols - first < kPanelWidth ? cols - first : kPanelWidth;
      for (int64_t i = 0; i < part; ++i) {
        for (int64_t j = 0; j < width; ++j) {
          scratch[i * kPanelWidth + j] = w[(from + i) * w_stride + first + j];
        }
      }
      product(rows, kPanelWidth, part, x + from, x_stride, scratch, kPanelWidth, y + first, y_stride);
    }
  }
}

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
