// Products of numbers rounded to bf16 with sums in f32, on processors that have an instruction for that: the
// same functions of f32 matrices as in kernels_products.h, and the same parts of the depth. What is
// multiplied is rounded where panels are packed and rows gathered, so that nothing else knows of it.
#include <immintrin.h>

#include "nn/kernels.h"

namespace bert::nn {
namespace {

// Two numbers of bf16 that stand next to each other in the direction of the sum: what one lane multiplies and
// adds at once.
using Pair = int32_t;

constexpr int kLanes = 16, kVectors = kPanelWidth / kLanes, kBlockRows = 6;
constexpr int64_t kDepth = kLongestPart, kPairs = kDepth / 2;
static_assert(kDepth % 2 == 0 && kGradientRows % kLanes == 0);

__mmask16 lanes_below(int64_t n) {
  if (n >= kLanes) return 0xffff;
  return static_cast<__mmask16>(n <= 0 ? 0 : (1 << n) - 1);
}

// The left factor of a product: row r's pair i is numbers[r * row + i * step].
struct Left {
  const Pair* numbers;
  int64_t row, step;
};

// Where a product goes: rows of `cols` numbers, at most kPanelWidth.
struct Result {
  float* numbers;
  int64_t stride, cols;
  Into into = Into::replace;
};

template <int kRows>
inline void product_block(int64_t pairs, Left a, const Pair* b, Result c) {
  __m512 sums[kRows][kVectors];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) sums[r][v] = _mm512_setzero_ps();
  }
  for (int64_t i = 0; i < pairs; ++i) {
    __m512bh columns[kVectors];
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      columns[v] = (__m512bh)_mm512_loadu_si512(b + i * kPanelWidth + v * kLanes);
    }
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const auto factor = (__m512bh)_mm512_set1_epi32(a.numbers[r * a.row + i * a.step]);
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) sums[r][v] = _mm512_dpbf16_ps(sums[r][v], factor, columns[v]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      float* const to = c.numbers + r * c.stride + v * kLanes;
      const __mmask16 mask = lanes_below(c.cols - v * kLanes);
      const __m512 sum =
          c.into == Into::add ? _mm512_add_ps(_mm512_maskz_loadu_ps(mask, to), sums[r][v]) : sums[r][v];
      _mm512_mask_storeu_ps(to, mask, sum);
    }
  }
}

void product(int64_t rows, int64_t pairs, Left a, const Pair* b, Result c) {
  const auto forward = [&](int64_t count) {
    a.numbers += count * a.row;
    c.numbers += count * c.stride;
  };
  for (; rows >= kBlockRows; rows -= kBlockRows, forward(kBlockRows)) {
    product_block<kBlockRows>(pairs, a, b, c);
  }
  for (; rows >= 2; rows -= 2, forward(2)) product_block<2>(pairs, a, b, c);
  if (rows == 1) product_block<1>(pairs, a, b, c);
}

// Rows of numbers -> pairs along each row, [rows, kPairs]; what lies behind `depth` is zero.
void pair_along_rows(int64_t rows, int64_t depth, const float* from, int64_t stride, Pair* to) {
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t i = 0; i < depth; i += 2 * kLanes) {
      const float* const at = from + row * stride + i;
      const __m512 first = _mm512_maskz_loadu_ps(lanes_below(depth - i), at);
      const __m512 second = _mm512_maskz_loadu_ps(lanes_below(depth - i - kLanes), at + kLanes);
      _mm512_storeu_si512(to + row * kPairs + i / 2, (__m512i)_mm512_cvtne2ps_pbh(second, first));
    }
  }
}

// Rows of numbers -> pairs of a row and the next one, [half the rows, to_stride]; the last row of an odd
// number stands beside zeros, and so do columns beyond `cols` up to whole vectors.
void pair_neighbours(int64_t rows, int64_t cols, const float* from, int64_t stride, Pair* to,
                     int64_t to_stride) {
  alignas(64) static constexpr uint16_t kZip[32] = {0,  16, 1,  17, 2,  18, 3,  19, 4,  20, 5,
                                                    21, 6,  22, 7,  23, 8,  24, 9,  25, 10, 26,
                                                    11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
  const __m512i zip = _mm512_load_si512(kZip);
  for (int64_t row = 0; row < rows; row += 2) {
    const float* const at = from + row * stride;
    for (int64_t i = 0; i < cols; i += kLanes) {
      const __mmask16 mask = lanes_below(cols - i);
      const __m512 upper = _mm512_maskz_loadu_ps(mask, at + i);
      const __m512 lower = _mm512_maskz_loadu_ps(row + 1 < rows ? mask : __mmask16{0}, at + stride + i);
      const auto both = (__m512i)_mm512_cvtne2ps_pbh(lower, upper);
      _mm512_storeu_si512(to + row / 2 * to_stride + i, _mm512_permutexvar_epi16(zip, both));
    }
  }
}

int64_t pairs_of(int64_t depth) { return (depth + 1) / 2; }

// Cuts the depth as kernels_products.h does, calls part(from, size, into) for each.
template <class Function>
void for_parts(int64_t depth, Function part) {
  const int64_t parts = (depth + kDepth - 1) / kDepth,
                most = ((depth + parts - 1) / parts + kLanes - 1) / kLanes * kLanes;
  for (int64_t from = 0; from < depth; from += most) {
    part(from, depth - from < most ? depth - from : most, from == 0 ? Into::replace : Into::add);
  }
}

// A panel of pairs [k / 2, 64] takes half the memory of one of f32.
void pack_rows(const float* rows, int64_t row_stride, int64_t first, int64_t count, int64_t cols,
               float* panel) {
  pair_neighbours(count, cols, rows, row_stride, reinterpret_cast<Pair*>(panel) + first / 2 * kPanelWidth,
                  kPanelWidth);
}

void pack_panel(const float* rows, int64_t row_stride, int64_t count, int64_t k, float* panel) {
  alignas(64) float transposed[kDepth * kPanelWidth];
  for (int64_t from = 0; from < k; from += kDepth) {
    const int64_t size = k - from < kDepth ? k - from : kDepth;
    kernels_avx512::kTable.pack_panel(rows + from, row_stride, count, size, transposed);
    pack_rows(transposed, kPanelWidth, from, size, kPanelWidth, panel);
  }
}

// Products of x [rows, depth] with `panels` panels of pairs. right(from, size) makes a part of the panels and
// gives where panel p has it, to(row, p) is where the product goes from that row on.
constexpr int64_t kGatheredRows = 96;

template <class Right, class To>
void products(int64_t rows, int64_t depth, const float* x, int64_t x_stride, int64_t panels, Right right,
              To to) {
  alignas(64) Pair left[kGatheredRows * kPairs];
  for_parts(depth, [&](int64_t from, int64_t size, Into into) {
    const auto panel = right(from, size);
    for (int64_t row = 0; row < rows; row += kGatheredRows) {
      const int64_t count = rows - row < kGatheredRows ? rows - row : kGatheredRows;
      pair_along_rows(count, size, x + row * x_stride + from, x_stride, left);
      for (int64_t p = 0; p < panels; ++p) {
        Result result = to(row, p);
        result.into = into;
        product(count, pairs_of(size), {.numbers = left, .row = kPairs, .step = 1}, panel(p), result);
      }
    }
  });
}

void panel_products(int64_t rows, int64_t depth, const float* x, int64_t x_stride, int64_t panels,
                    const float* const* panel, float* tiles) {
  products(
      rows, depth, x, x_stride, panels,
      [&](int64_t from, int64_t) {
        return [=](int64_t p) { return reinterpret_cast<const Pair*>(panel[p]) + from / 2 * kPanelWidth; };
      },
      [&](int64_t row, int64_t p) -> Result {
        return {
            .numbers = tiles + (p * rows + row) * kPanelWidth, .stride = kPanelWidth, .cols = kPanelWidth};
      });
}

// Rows of `width` numbers -> panels of pairs, one kPairs·64 behind another.
void pair_panels(int64_t rows, int64_t width, const float* from, int64_t stride, Pair* to) {
  for (int64_t first = 0; first < width; first += kPanelWidth) {
    const int64_t cols = width - first < kPanelWidth ? width - first : kPanelWidth;
    pair_neighbours(rows, cols, from + first, stride, to + first * kPairs, kPanelWidth);
  }
}

void strided_products(int64_t rows, int64_t depth, const float* x, int64_t x_stride, int64_t cols,
                      const float* w, int64_t w_stride, float* y, int64_t y_stride, float* scratch) {
  auto* const panels = reinterpret_cast<Pair*>(scratch);
  products(
      rows, depth, x, x_stride, (cols + kPanelWidth - 1) / kPanelWidth,
      [&](int64_t from, int64_t size) {
        pair_panels(size, cols, w + from * w_stride, w_stride, panels);
        return [=](int64_t p) { return panels + p * kPairs * kPanelWidth; };
      },
      [&](int64_t row, int64_t p) -> Result {
        const int64_t first = p * kPanelWidth, width = cols - first;
        return {.numbers = y + row * y_stride + first,
                .stride = y_stride,
                .cols = width < kPanelWidth ? width : kPanelWidth};
      });
}

void column_sums(int64_t depth, const float* a, int64_t stride, int64_t n, float* sums) {
  for (int64_t i = 0; i < n; i += kLanes) {
    const __mmask16 mask = lanes_below(n - i);
    __m512 sum = _mm512_setzero_ps();
    for (int64_t row = 0; row < depth; ++row) {
      sum = _mm512_add_ps(sum, _mm512_maskz_loadu_ps(mask, a + row * stride + i));
    }
    _mm512_mask_storeu_ps(sums + i, mask, _mm512_add_ps(_mm512_maskz_loadu_ps(mask, sums + i), sum));
  }
}

void gradient_products(const GradientProduct& g, float* scratch) {
  auto* const left = reinterpret_cast<Pair*>(scratch);  // [kPairs, kGradientRows]
  Pair* const right = left + kPairs * kGradientRows;    // a panel [kPairs, 64] behind another
  for (int64_t from = 0; from < g.depth; from += kDepth) {
    const int64_t depth = g.depth - from < kDepth ? g.depth - from : kDepth;
    const Into into = from == 0 ? g.into : Into::add;
    pair_panels(depth, g.cols, g.x + from * g.x_stride, g.x_stride, right);
    for (int64_t row = 0; row < g.rows; row += kGradientRows) {
      const int64_t rows = g.rows - row < kGradientRows ? g.rows - row : kGradientRows;
      const float* const dy = g.dy + from * g.dy_stride + row;
      pair_neighbours(depth, rows, dy, g.dy_stride, left, kGradientRows);
      if (g.db != nullptr) column_sums(depth, dy, g.dy_stride, rows, g.db + row);
      for (int64_t first = 0; first < g.cols; first += kPanelWidth) {
        const int64_t cols = g.cols - first < kPanelWidth ? g.cols - first : kPanelWidth;
        product(
            rows, pairs_of(depth), {.numbers = left, .row = 1, .step = kGradientRows}, right + first * kPairs,
            {.numbers = g.dw + row * g.dw_stride + first, .stride = g.dw_stride, .cols = cols, .into = into});
      }
    }
  }
}

}  // namespace

Kernels kernels_bf16::table() {
  Kernels table = kernels_avx512::kTable;
  table.name = "AVX-512 with products of bf16";
  table.panel_products = panel_products;
  table.gradient_products = gradient_products;
  table.strided_products = strided_products;
  table.pack_panel = pack_panel;
  table.pack_rows = pack_rows;
  return table;
}

}  // namespace bert::nn
