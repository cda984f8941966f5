// Block sizes of matrix products.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/dtype.h"
#include "base/pool.h"
#include "nn/kernels/kernels.h"

namespace bert::nn {

class Context;

constexpr int64_t kBlockRows = 12;     // a multiple of the rows of oneDNN's blocks, on every instruction set
constexpr int64_t kBlockColumns = 16;  // the same for columns

constexpr int64_t parts_of(int64_t n, int64_t size) { return (n + size - 1) / size; }
constexpr int64_t round_up(int64_t n, int64_t to) { return parts_of(n, to) * to; }

inline void copy_rows(int64_t rows, int64_t cols, const float* from, int64_t from_stride, float* to,
                      int64_t stride) {
  for (int64_t i = 0; i < rows; ++i) std::copy_n(from + i * from_stride, cols, to + i * stride);
}

// Rows and columns of a product computed by one task.
struct Tile {
  int64_t row = 0, rows = 0, column = 0, columns = 0;
  const float* numbers = nullptr;  // of these rows and columns
  const float* gate = nullptr;     // the same of a second product
  int64_t stride = 0;
  // If they are int32, of panels in i8: what makes them numbers, see RawTile.
  const QuantizedRow* quantized = nullptr;
  IntegerColumns integers = {}, gate_integers = {};
  size_t place = 0;  // index of the product, if there are several
};

// A matrix [rows, cols] as oneDNN's matmul reads it: a sequence of dense blocks of `block` columns. The last
// one may be narrower.
struct ColumnBlocks {
  Dtype dtype = Dtype::f32;
  int64_t rows = 0, cols = 0, block = 0;
  std::byte* data = nullptr;

  int64_t width(int64_t column) const { return std::min(block, cols - column); }  // of the block there
  int64_t floats() const { return parts_of(rows * cols * static_cast<int64_t>(size_of(dtype)), 4); }
  std::byte* at(int64_t row, int64_t column) const {  // start of a block
    return data + (column * rows + row * width(column)) * static_cast<int64_t>(size_of(dtype));
  }

  // Stores `count` rows of f32, `stride` apart, rounded to `dtype`: `filled` columns of each, and zeros.
  void fill(Context& context, int64_t count, int64_t filled, const float* from, int64_t stride) const;
};

}  // namespace bert::nn
