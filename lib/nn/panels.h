// Products of activations and weights. The weights are cut into panels, stored in the layout in which oneDNN
// is fastest on the machine at hand.
//
// A row of the product has the same bits whatever the other rows are and however many threads there are: all
// panels have one width, and a task has at most 96 rows, rounded up to a number for which oneDNN computes
// every row by the same operations in the same order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "base/dtype.h"
#include "base/log.h"
#include "nn/blocks.h"
#include "nn/context.h"

namespace bert::nn {

// A tensor's numbers as they are in a file: row-major, possibly unaligned.
struct Stored {
  Dtype dtype = Dtype::f32;
  const std::byte* data = nullptr;
  bool transposed = false;  // a matrix [N,K] that the file has as [K,N]; only if it is packed
};

// B [depth, cols] of y = x·B as a sequence of panels of width() columns, each stored by rows, with zeros
// beyond depth and cols. In bf16, rows are stored in pairs whose numbers alternate.
//
// In i8, each column is a vector of integers from -127 to 127 and an f32 scale; each row of x is rounded to
// 255 steps. Integer sums are exact: where the processor adds pairs of products in 16 bits, the integers go
// from -63 to 63. For matmul, rows are stored in groups of four. The scales and sums of the columns follow
// the panel's numbers.
struct Panels {
  Dtype dtype = Dtype::f32;  // or bf16, i8
  int64_t depth = 0, cols = 0;
  std::byte* data = nullptr;  // count() · bytes() bytes, 64-byte aligned

  int64_t width() const;
  int64_t count() const { return (cols + width() - 1) / width(); }
  int64_t bytes() const;  // of one panel
  std::byte* panel(int64_t i) const { return data + i * bytes(); }

  // Fills a panel with its columns of Wᵀ, where W is [cols, depth]. Its memory is zero before.
  void pack(int64_t panel, const Stored& w) const;
};

// Whether oneDNN multiplies bf16 with instructions of this processor.
bool has_bf16();

// The number format for products: the one asked for, or an Error if that is bf16 and the processor lacks it;
// if none is asked for, bf16 where it is faster than f32, which is with AMX, else f32. Logs the choice and
// oneDNN's kernel.
Dtype arithmetic(std::optional<Dtype> wish, Log& log);

// Computes x·B for each B, where x [M, depth] is the columns [column, column + depth) of a tensor, with all
// threads of the pool. Calls `finish` for each tile on the thread that computed it; its numbers are 64-byte
// aligned and go on to a multiple of 16 columns. Throws std::bad_alloc if oneDNN gets no memory.
void multiply(Context& context, const Tensor& x, int64_t column, std::span<const Panels> panels,
              const std::function<void(const Tile&)>& finish);

}  // namespace bert::nn
