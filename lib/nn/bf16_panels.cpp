#include "nn/bf16_panels.h"

#include <algorithm>

#include "nn/blocks.h"
#include "nn/matmul.h"

namespace bert::nn {

bool is_aligned_f32(const Stored& w) {
  return w.dtype == Dtype::f32 && reinterpret_cast<uintptr_t>(w.data) % alignof(float) == 0;
}

// Two numbers have the size of a float and are transposed as one.
void pack_bf16(const Kernels& kernels, const SourceRows& rows, int64_t depth, std::byte* panel) {
  constexpr int64_t kPart = 512;
  alignas(64) float pairs[kMatmulColumns * kPart / 2];
  for (int64_t from = 0; from < depth; from += kPart) {
    const int64_t part = std::min(kPart, depth - from), whole = round_up(part, 2);
    for (int64_t i = 0; i < rows.count; ++i) {
      auto* const halves = reinterpret_cast<uint16_t*>(pairs) + i * whole;
      halves[whole - 1] = 0;
      kernels.to_bf16(part, rows.numbers + i * rows.stride + from, halves);
    }
    kernels.transpose(rows.count, whole / 2, pairs, whole / 2,
                      reinterpret_cast<float*>(panel) + from / 2 * kMatmulColumns, kMatmulColumns);
  }
}

void pack_rows_bf16(const Kernels& kernels, const Stored& w, int64_t stride, int64_t count, int64_t depth,
                    std::byte* panel) {
  constexpr int64_t kPart = 64;
  float wide[kPart * kMatmulColumns];
  auto* const pairs = reinterpret_cast<float*>(panel);
  if (count < kMatmulColumns) std::fill_n(pairs, round_up(depth, 2) / 2 * kMatmulColumns, 0.0f);
  if (is_aligned_f32(w))
    return kernels.pair_rows_bf16(depth, count, reinterpret_cast<const float*>(w.data), stride, pairs,
                                  kMatmulColumns);
  for (int64_t from = 0; from < depth; from += kPart) {
    const int64_t part = std::min(kPart, depth - from);
    for (int64_t i = 0; i < part; ++i)
      to_f32(w.dtype, w.data + (from + i) * stride * static_cast<int64_t>(size_of(w.dtype)),
             {wide + i * kMatmulColumns, static_cast<size_t>(count)});
    kernels.pair_rows_bf16(part, count, wide, kMatmulColumns, pairs + from / 2 * kMatmulColumns,
                           kMatmulColumns);
  }
}

void pack_part_bf16(const Kernels& kernels, const Panels& panels, const Factor& b, int64_t panel, int64_t row,
                    int64_t rows, std::byte* to) {
  const int64_t depth = std::clamp<int64_t>(panels.depth - row, 0, rows), column = panel * panels.width(),
                count = std::min(panels.width(), panels.cols - column);
  const float* const numbers = b.from(row, column).numbers;
  if (b.order == Order::rows) {
    pack_rows_bf16(kernels, {.data = reinterpret_cast<const std::byte*>(numbers)}, b.stride, count, depth,
                   to);
  } else {
    pack_bf16(kernels, {numbers, count, b.stride}, depth, to);
  }
  const int64_t row_bytes = panels.width() * static_cast<int64_t>(size_of(panels.dtype));
  std::fill(to + round_up(depth, 2) * row_bytes, to + rows * row_bytes, std::byte{0});
}

}  // namespace bert::nn
