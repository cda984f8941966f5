// Products of plain matrices by dnnl_sgemm: gradients of layers, and vocabulary logits.
//
// Each number of a product has the same bits for any other rows and columns and any split of the work.
// dnnl_sgemm alone does not guarantee this: on some instruction sets it computes the last rows and columns
// with other instructions. So columns are computed in multiples of 16, rows in numbers that fill whole
// blocks, and the depth is split into parts that depend on the depth alone. The parts also improve precision:
// a single chain of thousands of additions would lose twice as much.
#pragma once

#include <cstdint>
#include <functional>

#include "nn/blocks.h"
#include "nn/context.h"

namespace bert::nn {

// Storage order of a matrix.
enum class Order { rows, columns };

struct Factor {
  const float* numbers = nullptr;
  int64_t stride = 0;  // from one row (or column) to the next
  Order order = Order::rows;

  // The submatrix that begins there.
  Factor from(int64_t row, int64_t column) const;
};

// c [rows, cols] = a [rows, depth] · b [depth, cols], or c += a·b. At most one factor is stored by columns.
//
// To fill whole blocks, memory beyond the factors is read: up to 11 rows of a (16 if b is stored by columns)
// and 15 columns of b. Tensor and Params allocate this extra memory; its contents do not matter.
struct Product {
  int64_t rows = 0, cols = 0, depth = 0;
  Factor a, b;
  float* c = nullptr;
  int64_t c_stride = 0;
  Into into = Into::replace;
  bool room = false;          // c, too, has memory for whole blocks (as a Tensor) that may be overwritten
  float* row_sums = nullptr;  // [rows] += the sums of a's rows, if a is stored by columns; cols may be 0
};

// Calls f(from, depth) for the parts in which products of this depth are added up.
void for_parts(int64_t depth, const std::function<void(int64_t, int64_t)>& f);

// Computes a product that has room, on the calling thread. Throws std::bad_alloc if oneDNN gets no memory.
void multiply(const Kernels& kernels, const Product& product);

// Computes the product in tiles with all threads of the pool. Calls `finish` for each tile on the thread that
// computed it.
void multiply(Context& context, const Product& product, const std::function<void(const Tile&)>& finish = {});

// c [rows, cols] = a [rows, depth] · bᵀ for integers, b [cols, depth] with rows b_stride apart, on the
// calling thread. Exact if two products fit into 16 bits.
void multiply_bytes(int64_t rows, int64_t cols, int64_t depth, const uint8_t* a, const int8_t* b,
                    int64_t b_stride, int32_t* c);

}  // namespace bert::nn
