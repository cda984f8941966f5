#include "nn/products.h"

#include <dnnl.h>

#include <algorithm>
#include <exception>
#include <new>
#include <vector>

#include "base/code_memory.h"
#include "base/error.h"
#include "nn/blocks.h"
#include "nn/onednn.h"

namespace bert::nn {
namespace {

constexpr int64_t kDepth = 384;        // longest part: as precise as other libraries and hardly slower
constexpr int64_t kMostColumns = 384;  // of a tile
constexpr int64_t kSmallest = 48;      // rows and columns of the smallest tile that is worth a task

void check(dnnl_status_t status) {
  if (status == dnnl_out_of_memory) throw std::bad_alloc();
  if (status != dnnl_success) throw Error("oneDNN cannot multiply matrices here (error ", status, ")");
}

std::exception_ptr lack_of_code_memory() {
  try {
    require_code_memory();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

// oneDNN generates all code for a data type at its first product. If there is no memory for it, all threads
// fail: another that tried again would take what is left, in which oneDNN does not run.
template <Dtype>
void prepare_gemm() {
  compute_here();
  static const std::exception_ptr lack = lack_of_code_memory();
  if (lack) std::rethrow_exception(lack);
}

// Adds columns [from, from + depth) of a.
void add_row_sums(const Kernels& kernels, const Product& p, int64_t from, int64_t depth) {
  float part[kDepth];
  for (int64_t first = 0; first < p.rows; first += kDepth) {
    const int64_t count = std::min(kDepth, p.rows - first);
    std::fill_n(part, count, 0.0f);
    for (int64_t i = from; i < from + depth; ++i) kernels.add(count, p.a.from(first, i).numbers, part);
    kernels.add(count, part, p.row_sums + first);
  }
}

// Rows to compute so that all use the same operations. dnnl_sgemm's blocks have 4 or 6 rows; up to 72 rows, a
// rest of 4 or 5 after blocks of 6 is fine. If b is stored by columns, up to 12 rows use other operations.
int64_t whole_rows(const Product& p) {
  int64_t rows = p.b.order == Order::columns ? std::max<int64_t>(p.rows, 16) : p.rows;
  while (rows % kBlockRows != 0 && (rows > 6 * kBlockRows || (rows % 6 != 0 && rows % 6 < 4))) ++rows;
  return rows;
}

// Rows or columns of a factor, at least `whole` numbers apart as oneDNN requires: in place or in `copy`.
Factor apart(const Factor& factor, int64_t lines, int64_t length, int64_t whole, std::vector<float>& copy) {
  if (factor.stride >= whole) return factor;
  copy.resize(lines * whole);
  copy_rows(lines, length, factor.numbers, factor.stride, copy.data(), whole);
  return {.numbers = copy.data(), .stride = whole, .order = factor.order};
}

// Runs `compute` on the product in `room`, which has rows of `cols` numbers.
template <class Function>
void compute_apart(const Product& p, float* room, int64_t cols, Function compute) {
  Product in_room = p;
  in_room.c = room;
  in_room.c_stride = cols;
  if (p.into == Into::add) copy_rows(p.rows, p.cols, p.c, p.c_stride, room, cols);
  compute(in_room);
  copy_rows(p.rows, p.cols, room, cols, p.c, p.c_stride);
}

struct Size {
  int64_t rows, cols;
};

// Rows of each of about equal parts of at most `most` rows, a multiple of `whole`.
int64_t even_parts(int64_t rows, int64_t most, int64_t whole) {
  return round_up(parts_of(rows, std::max<int64_t>(1, parts_of(rows, most))), whole);
}

// oneDNN copies one matrix, which pays off for many rows; tiles of gradients are smaller, so that there are
// enough.
Size tile_size(const Product& p, int threads) {
  Size size = {.rows = p.a.order == Order::columns ? 192 : 384, .cols = kMostColumns};
  while (parts_of(p.rows, size.rows) * parts_of(p.cols, size.cols) < 2 * threads &&
         (size.rows > kSmallest || size.cols > kSmallest)) {
    (size.rows >= size.cols ? size.rows : size.cols) /= 2;
  }
  size.rows = even_parts(p.rows, size.rows, kBlockRows);
  return size;
}

// Runs f(tile, its product, thread) for all tiles of the product. Adjacent tiles have the same columns.
void for_tiles(Context& context, const Product& p, Size size,
               const std::function<void(const Tile&, const Product&, int)>& f) {
  if (p.rows == 0) return;
  const int64_t tall = parts_of(p.rows, size.rows), wide = std::max<int64_t>(1, parts_of(p.cols, size.cols));
  context.pool().run_grid(tall * wide, [&](int64_t i, int thread) {
    const int64_t row = i % tall * size.rows, column = i / tall * size.cols;
    Product part = p;
    part.rows = std::min(size.rows, p.rows - row);
    part.cols = std::min(size.cols, p.cols - column);
    part.a = p.a.from(row, 0);
    part.b = p.b.from(0, column);
    part.c = p.c + row * p.c_stride + column;
    if (p.row_sums != nullptr) part.row_sums = column == 0 ? p.row_sums + row : nullptr;
    f({.row = row,
       .rows = part.rows,
       .column = column,
       .columns = part.cols,
       .numbers = part.c,
       .stride = p.c_stride},
      part, thread);
  });
}

}  // namespace

Factor Factor::from(int64_t row, int64_t column) const {
  Factor part = *this;
  part.numbers += order == Order::rows ? row * stride + column : column * stride + row;
  return part;
}

void for_parts(int64_t depth, const std::function<void(int64_t, int64_t)>& f) {
  const int64_t part = even_parts(depth, kDepth, kBlockColumns);
  for (int64_t from = 0; from < depth; from += part) f(from, std::min(part, depth - from));
}

void multiply(const Kernels& kernels, const Product& p) {
  const auto letter = [](const Factor& factor) { return factor.order == Order::columns ? 'T' : 'N'; };
  const int64_t rows = whole_rows(p), cols = round_up(p.cols, kBlockColumns);
  std::vector<float> a_copy, b_copy;
  prepare_gemm<Dtype::f32>();
  for_parts(p.depth, [&](int64_t from, int64_t depth) {
    Factor a = p.a.from(0, from), b = p.b.from(from, 0);
    if (a.order == Order::columns) a = apart(a, depth, p.rows, rows, a_copy);
    if (b.order == Order::rows) b = apart(b, depth, p.cols, cols, b_copy);
    const float old = from == 0 && p.into == Into::replace ? 0.0f : 1.0f;
    if (cols > 0)
      check(dnnl_sgemm(letter(a), letter(b), rows, cols, depth, 1, a.numbers, a.stride, b.numbers, b.stride,
                       old, p.c, p.c_stride));
    if (p.row_sums != nullptr) add_row_sums(kernels, p, from, depth);
  });
}

void multiply(Context& context, const Product& p, const std::function<void(const Tile&)>& finish) {
  for_tiles(context, p, tile_size(p, context.pool().size()),
            [&](const Tile& tile, const Product& part, int thread) {
              if (p.room || (whole_rows(part) == part.rows && part.cols % kBlockColumns == 0)) {
                multiply(context.kernels(), part);
              } else {
                const int64_t cols = round_up(part.cols, kBlockColumns);
                compute_apart(part, context.scratch(thread, whole_rows(part) * cols), cols,
                              [&](const Product& in_room) { multiply(context.kernels(), in_room); });
              }
              if (finish) finish(tile);
            });
}

void multiply_bytes(int64_t rows, int64_t cols, int64_t depth, const uint8_t* a, const int8_t* b,
                    int64_t b_stride, int32_t* c) {
  prepare_gemm<Dtype::i8>();
  const int32_t offset = 0;
  check(dnnl_gemm_u8s8s32('N', 'T', 'F', rows, cols, depth, 1, a, depth, 0, b, b_stride, 0, 0, c, cols,
                          &offset));
}

}  // namespace bert::nn
