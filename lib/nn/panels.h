// Products of activations and weights. Weights are split into panels, stored in oneDNN's fastest layout on
// this machine.
//
// A row of a product has the same bits for any other rows and any number of threads: all panels have the same
// width, and a task has at most 96 rows, rounded up to a number for which oneDNN computes every row by the
// same operations in the same order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "base/dtype.h"
#include "nn/blocks.h"
#include "nn/context.h"

namespace bert::nn {

// A tensor as stored in a file: row-major, possibly unaligned.
struct Stored {
  Dtype dtype = Dtype::f32;
  const std::byte* data = nullptr;
  bool transposed = false;        // a matrix [N,K] stored as [K,N]; only if it is packed
  const float* scales = nullptr;  // of the rows, if they are integers (i8) times this; only if it is packed
};

// B [depth, cols] of y = x·B as a sequence of panels of width() columns, stored by rows and zero-padded. In
// bf16, pairs of rows are interleaved.
//
// In i8, each column has integers from -127 to 127 and an f32 scale; each row of x is rounded to 255 steps.
// Integer sums are exact: if the processor adds pairs of products in 16 bits, integers range from -63 to 63.
// Unless dnnl_gemm_u8s8s32 reads them, rows are stored in groups of four. The scales and sums of the columns
// follow the panel.
struct Panels {
  Dtype dtype = Dtype::f32;  // or bf16, i8
  int64_t depth = 0, cols = 0;
  std::byte* data = nullptr;  // count() · bytes() bytes, 64-byte aligned

  int64_t width() const;
  int64_t room() const;  // rows with padding
  int64_t count() const { return (cols + width() - 1) / width(); }
  int64_t bytes() const;  // of one panel
  std::byte* panel(int64_t i) const { return data + i * bytes(); }

  // Fills a panel with its columns of Wᵀ, where W is [cols, depth]. The memory must be zero.
  void pack(const Kernels& kernels, int64_t panel, const Stored& w) const;
};

// Whether oneDNN can multiply bf16 with instructions of this processor.
bool has_bf16();

// The format for products: `wish`, or an Error if that is bf16 and the processor lacks it. Without a wish,
// bf16 if it is faster than f32, which requires AMX, otherwise f32.
Dtype arithmetic(std::optional<Dtype> wish);
// The format and oneDNN's code for its products, or the instructions of ours: "f32 (sgemm)", "int8 (AVX2)".
std::string arithmetic_name(Dtype dtype);

// Computes x·B for each B with all threads of the pool; x [M, depth] is columns [column, column + depth) of a
// tensor. Calls `finish` for each tile on the thread that computed it; tiles are 64-byte aligned and padded
// to a multiple of 16 columns. In i8 their numbers are int32. With a gate of the same shape as the only B,
// tiles have both products. Throws std::bad_alloc if oneDNN gets no memory.
void multiply(Context& context, const Tensor& x, int64_t column, std::span<const Panels> panels,
              const std::function<void(const Tile&)>& finish, const Panels* gate = nullptr);

// Rows of f32 with the ranges of their tiles beside them, which products in i8 need.
struct RangedRows {
  Tensor& rows;
  int64_t first;  // column of the first range
  int64_t tile;   // columns of a tile
  int64_t count;  // tiles of a row

  Range* of(int64_t row, int64_t column) const {  // of the tile there
    return reinterpret_cast<Range*>(rows.row(row) + first) + column / tile;
  }
  Range whole(int64_t row) const;
};
// y for products with panels in i8 of rows that are products with `of_y`.
RangedRows ranged_rows(Tensor& y, int64_t rows, const Panels& of_y);
void multiply(Context& context, const RangedRows& x, std::span<const Panels> panels,
              const std::function<void(const Tile&)>& finish);

// Memory of y for the numbers that products with `next` read, in their form, to be written by tiles of
// `of_y`; nothing if these do not fit into its blocks, or numbers of whole rows are needed first.
std::optional<ColumnBlocks> blocks_in(Tensor& y, const Panels& of_y, const Panels& next);
// The same as above, with x [rows, depth] in that form.
void multiply(Context& context, const ColumnBlocks& x, int64_t rows, std::span<const Panels> panels,
              const std::function<void(const Tile&)>& finish);

}  // namespace bert::nn
