// Packs panels in bf16, whose rows are interleaved in pairs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "nn/kernels/kernels.h"
#include "nn/panels.h"
#include "nn/products.h"

namespace bert::nn {

// Rows of W in f32, which become columns of a panel.
struct SourceRows {
  const float* numbers;
  int64_t count, stride;
};
void pack_bf16(const Kernels& kernels, const SourceRows& rows, int64_t depth, std::byte* panel);

// The same of rows of Wᵀ, [depth, count] with `stride` numbers from one to the next.
void pack_rows_bf16(const Kernels& kernels, const Stored& w, int64_t stride, int64_t count, int64_t depth,
                    std::byte* panel);

// Packs rows [row, row + rows) of a panel of B into `to`, zero-padded. `rows` is even.
void pack_part_bf16(const Kernels& kernels, const Panels& panels, const Factor& b, int64_t panel, int64_t row,
                    int64_t rows, std::byte* to);

// Whether the numbers can be read in place.
bool is_aligned_f32(const Stored& w);

}  // namespace bert::nn
