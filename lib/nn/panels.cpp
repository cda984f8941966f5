#include "nn/panels.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "base/option.h"
#include "base/random.h"
#include "nn/blocks.h"
#include "nn/matmul.h"
#include "nn/onednn.h"
#include "nn/products.h"
#include "nn/tensor.h"

namespace bert::nn {
namespace {

constexpr int64_t kPanelRows = 96;  // of a task; with more rows, matmul may split the depth differently
constexpr int64_t kWidest = 128;
constexpr int64_t kMatmulDepth = 768;  // longest part of a matmul's depth: each part costs some time

// Whether products with such panels use matmul; otherwise they use dnnl_sgemm.
bool is_matmul(Dtype dtype) {
  static const bool f32_is = !matmul_code(Dtype::f32).empty(), i8_is = !matmul_code(Dtype::i8).empty();
  return dtype == Dtype::bf16 || (dtype == Dtype::f32 ? f32_is : i8_is);
}

// SourceRows of a column that make a block of 64 bytes in oneDNN's layout. Its kernels may read whole blocks.
int64_t block_rows(Dtype dtype) { return kBlockColumns * 4 / static_cast<int64_t>(size_of(dtype)); }

// Data after the numbers of an i8 panel.
struct ColumnNumbers {
  float* scales;
  int32_t* sums;

  operator IntegerColumns() const { return {scales, sums}; }
};
ColumnNumbers column_numbers(const Panels& panels, int64_t panel) {
  std::byte* const end = panels.panel(panel + 1);
  return {.scales = reinterpret_cast<float*>(end) - 2 * panels.width(),
          .sums = reinterpret_cast<int32_t*>(end) - panels.width()};
}

// SourceRows of W in f32, which become columns of a panel.
struct SourceRows {
  const float* numbers;
  int64_t count, stride;
};

// In place if possible, otherwise in `copy`.
SourceRows rows_of(const Kernels& kernels, const Stored& w, const Panels& panels, int64_t panel,
                   std::vector<float>& copy) {
  const int64_t depth = panels.depth, size = size_of(w.dtype), first = panel * panels.width(),
                count = std::min(panels.width(), panels.cols - first);
  if (w.transposed) {
    const int64_t stride = round_up(depth, kBlockColumns);
    std::vector<float> columns(depth * count);
    for (int64_t k = 0; k < depth; ++k) {
      to_f32(w.dtype, w.data + (k * panels.cols + first) * size,
             {&columns[k * count], static_cast<size_t>(count)});
    }
    copy.resize(count * stride);
    kernels.transpose(depth, count, columns.data(), count, copy.data(), stride);
    return {copy.data(), count, stride};
  }
  const std::byte* const stored = w.data + first * depth * size;
  if (w.dtype == Dtype::f32 && reinterpret_cast<uintptr_t>(stored) % alignof(float) == 0)
    return {reinterpret_cast<const float*>(stored), count, depth};
  copy.resize(count * depth);
  if (w.scales != nullptr) {
    for (int64_t i = 0; i < count * depth; ++i)
      copy[i] = static_cast<float>(static_cast<int8_t>(stored[i])) * w.scales[first + i / depth];
  } else {
    to_f32(w.dtype, stored, copy);
  }
  return {copy.data(), count, depth};
}

void pack_bf16(const Kernels& kernels, const SourceRows& rows, int64_t depth, std::byte* panel) {
  constexpr int64_t kPart = 64;
  alignas(64) float part[kPart * kMatmulColumns];
  uint16_t rounded[kMatmulColumns];
  for (int64_t k = 0; k < depth; ++k) {
    if (k % kPart == 0)
      kernels.transpose(rows.count, std::min(kPart, depth - k), rows.numbers + k, rows.stride, part,
                        kMatmulColumns);
    kernels.to_bf16(kMatmulColumns, part + k % kPart * kMatmulColumns, rounded);
    auto* const to = reinterpret_cast<uint16_t*>(panel) + k / 2 * kMatmulColumns * 2 + k % 2;
    for (int64_t column = 0; column < kMatmulColumns; ++column) to[2 * column] = rounded[column];
  }
}

// Integers of [count, room] become columns of a panel.
void pack_integers(const Kernels& kernels, const std::vector<float>& integers, int64_t count,
                   const Panels& panels, int64_t panel) {
  const int64_t room = panels.room();
  if (!is_matmul(Dtype::i8)) {
    std::copy_n(reinterpret_cast<const int8_t*>(integers.data()), count * room,
                reinterpret_cast<int8_t*>(panels.panel(panel)));
    return;
  }
  // Four integers have the size of a float and are transposed as one.
  kernels.transpose(count, room / 4, integers.data(), room / 4, reinterpret_cast<float*>(panels.panel(panel)),
                    panels.width());
}

void pack_i8(const Kernels& kernels, const SourceRows& rows, const Panels& panels, int64_t panel) {
  const float most = has_exact_bytes() ? 127 : 63;
  const int64_t room = panels.room();
  std::vector<float> integers(rows.count * room / 4);
  auto* const bytes = reinterpret_cast<int8_t*>(integers.data());
  const ColumnNumbers numbers = column_numbers(panels, panel);
  for (int64_t i = 0; i < rows.count; ++i) {
    const auto column =
        kernels.quantize_column(panels.depth, rows.numbers + i * rows.stride, most, bytes + i * room);
    numbers.scales[i] = column.scale;
    numbers.sums[i] = column.sum;
  }
  pack_integers(kernels, integers, rows.count, panels, panel);
}

// The same of stored integers, as they are.
void copy_i8(const Kernels& kernels, const Stored& w, const Panels& panels, int64_t panel) {
  const int64_t depth = panels.depth, room = panels.room(), first = panel * panels.width(),
                count = std::min(panels.width(), panels.cols - first);
  std::vector<float> integers(count * room / 4);
  auto* const bytes = reinterpret_cast<int8_t*>(integers.data());
  const ColumnNumbers numbers = column_numbers(panels, panel);
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(bytes + i * room, w.data + (first + i) * depth, depth);
    numbers.scales[i] = w.scales[first + i];
    numbers.sums[i] = std::accumulate(bytes + i * room, bytes + i * room + depth, int32_t{0});
  }
  pack_integers(kernels, integers, count, panels, panel);
}

// The rows of x as matmul reads them.
struct DenseRows {
  ColumnBlocks numbers;
  QuantizedRow* quantized = nullptr;  // for i8: one for each row
};

// Without memory. In i8 the depth is not split.
ColumnBlocks blocks_of(int64_t rows, const Panels& panels) {
  const bool is_i8 = panels.dtype == Dtype::i8,
             is_padded = panels.dtype != Dtype::f32 && is_matmul(panels.dtype);
  const int64_t cols = is_padded ? panels.room() : panels.depth,
                parts = is_i8 ? 1 : parts_of(cols, kMatmulDepth);
  return {.dtype = panels.dtype,
          .rows = round_up(rows, kBlockRows),
          .cols = cols,
          .block = is_i8 ? cols : round_up(parts_of(cols, parts), block_rows(panels.dtype))};
}

// x itself if its layout permits, otherwise a copy in the context's shared memory.
DenseRows dense_rows(Context& context, const Tensor& x, int64_t column, const Panels& panels,
                     const RangedRows* ranged = nullptr) {
  DenseRows rows = {.numbers = blocks_of(x.rows(), panels)};
  ColumnBlocks& numbers = rows.numbers;
  const bool is_i8 = panels.dtype == Dtype::i8;
  const int64_t depth = panels.depth, cols = numbers.cols;
  if (panels.dtype == Dtype::f32 && numbers.block >= depth && x.stride() == depth) {
    numbers.data = reinterpret_cast<std::byte*>(const_cast<float*>(x.row(0)));
    return rows;
  }
  const int64_t floats = round_up(numbers.floats(), 16);
  float* const copy = context.shared(floats + x.rows() * static_cast<int64_t>(sizeof(QuantizedRow) / 4));
  numbers.data = reinterpret_cast<std::byte*>(copy);
  if (!is_i8) {
    numbers.fill(context, x.rows(), depth, x.row(0) + column, x.stride());
    return rows;
  }
  rows.quantized = reinterpret_cast<QuantizedRow*>(copy + floats);
  context.pool().run_grid(x.rows(), [&](int64_t row, int) {
    auto* const bytes = reinterpret_cast<uint8_t*>(numbers.at(row, 0));
    const float* const from = x.row(row) + column;
    const Range range = ranged == nullptr ? context.kernels().range_of(depth, from) : ranged->whole(row);
    rows.quantized[row] = context.kernels().quantize(depth, from, range, bytes);
    std::fill_n(bytes + depth, cols - depth, uint8_t{0});
  });
  return rows;
}

// The rows of a primitive for `rows`, the others being padding, which costs less than a primitive for each
// number; at most as many as tensors have room for. With AMX, bf16 of 4 rows and fewer is summed in another
// order than that of more.
int64_t padded_rows(Dtype dtype, int64_t rows) {
  constexpr int64_t kStep = 4;
  static_assert(kBlockRows % kStep == 0);
  static const bool amx = has_amx();
  return std::max(round_up(rows, kStep), dtype == Dtype::bf16 && amx ? 2 * kStep : kStep);
}

// Computes the tile's `numbers` from its rows of x and its panel.
void multiply_dense(const DenseRows& x, const Panels& panels, const Tile& tile, float* numbers) {
  const int64_t size = size_of(panels.dtype), width = panels.width();
  const std::byte* const b = panels.panel(tile.column / width);
  if (!is_matmul(panels.dtype))
    return multiply_bytes(tile.rows, width, panels.depth,
                          reinterpret_cast<uint8_t*>(x.numbers.at(tile.row, 0)),
                          reinterpret_cast<const int8_t*>(b), panels.room(),
                          reinterpret_cast<int32_t*>(numbers));
  for (int64_t from = 0; from < x.numbers.cols; from += x.numbers.block) {
    matmul({.dtype = panels.dtype,
            .rows = padded_rows(panels.dtype, tile.rows),
            .cols = width,
            .depth = x.numbers.width(from),
            .panel = true,
            .into = from == 0 ? Into::replace : Into::add},
           x.numbers.at(tile.row, from), b + from * width * size, numbers);
  }
}

// If all rows are in one tile, each panel comes from memory for this tile alone: MultiplyPanel fetches it while
// it multiplies, which oneDNN does not. With 16 rows this takes a fifth to a third less time.
using MultiplyPanel = decltype(Kernels::multiply_panel);

// The same as multiply_dense(), by parts of the depth that oneDNN's kernels add up, too.
void multiply_few(const Kernels& kernels, MultiplyPanel multiply, int threads, const DenseRows& x,
                  const Panels& panels, const Tile& tile, float* numbers) {
  const int64_t part = panels.dtype == Dtype::i8 ? x.numbers.cols : 512;  // integers are exact
  const int64_t size = size_of(panels.dtype), width = panels.width(), panel = tile.column / width,
                later = panel + threads, in_float = static_cast<int64_t>(sizeof(float)) / size;
  const auto floats = [](const std::byte* at) { return reinterpret_cast<const float*>(at); };
  alignas(64) float of_block[kPanelRows * kMatmulColumns], of_part[kPanelRows * kMatmulColumns];
  const std::byte* b = panels.panel(panel);
  for (int64_t block = 0; block < x.numbers.cols; block += x.numbers.block) {
    float* const sums = block == 0 ? numbers : of_block;
    const int64_t depth = x.numbers.width(block);
    for (int64_t from = 0; from < depth; from += part) {
      const int64_t length = std::min(part, depth - from);
      const std::byte* next = b + length * width * size;
      if (block + from + length == x.numbers.cols)
        next = later < panels.count() ? panels.panel(later) : nullptr;
      multiply({.rows = tile.rows,
                .depth = length / in_float,
                .x = floats(x.numbers.at(tile.row, block) + from * size),
                .x_stride = depth / in_float,
                .panel = floats(b),
                .next = floats(next),
                .sums = from == 0 ? sums : of_part});
      if (from > 0) kernels.add(tile.rows * width, of_part, sums);
      b += length * width * size;
    }
    if (block > 0) kernels.add(tile.rows * width, of_block, numbers);
  }
}

// Whether its sums have the bits of oneDNN's, which are used for more rows.
bool adds_like_matmul(const Kernels& kernels, MultiplyPanel multiply, Dtype dtype) {
  constexpr int64_t kRows = kBlockRows, kDepth = 2 * kMatmulDepth;
  Memory x_memory(kRows * kDepth), panel(kDepth * kMatmulColumns), sums(kRows * kMatmulColumns),
      expected(kRows * kMatmulColumns);
  Random random(1);
  const auto fill = [&](const Memory& memory, int64_t count) {
    auto* const bytes = reinterpret_cast<std::byte*>(memory.data());
    if (dtype == Dtype::i8) {
      std::generate_n(bytes, count, [&] { return static_cast<std::byte>(random.next()); });
    } else {
      std::vector<float> numbers(count);
      std::ranges::generate(numbers, [&] { return static_cast<float>(random.uniform() - 0.5); });
      from_f32(numbers, dtype, bytes);
    }
    return bytes;
  };
  const DenseRows x = {.numbers = {.dtype = dtype,
                                   .rows = kRows,
                                   .cols = kDepth,
                                   .block = dtype == Dtype::i8 ? kDepth : kMatmulDepth,
                                   .data = fill(x_memory, kRows * kDepth)}};
  const Panels panels = {.dtype = dtype,
                         .depth = kDepth,
                         .cols = kMatmulColumns,
                         .data = fill(panel, kDepth * kMatmulColumns)};
  const Tile tile = {.rows = kRows, .columns = kMatmulColumns};
  multiply_dense(x, panels, tile, expected.data());
  multiply_few(kernels, multiply, 1, x, panels, tile, sums.data());
  return std::memcmp(expected.data(), sums.data(), sizeof(float) * kRows * kMatmulColumns) == 0;
}

// nullptr: oneDNN.
MultiplyPanel kernel_for_few(const Kernels& kernels, Dtype dtype) {
  const auto checked = [&](MultiplyPanel multiply, Dtype of) {
    const bool is_usable = multiply != nullptr && is_matmul(of) && adds_like_matmul(kernels, multiply, of);
    return is_usable ? multiply : nullptr;
  };
  if (dtype == Dtype::f32) {
    static const MultiplyPanel multiply = checked(kernels.multiply_panel, Dtype::f32);
    return multiply;
  }
  if (dtype == Dtype::bf16) {
    static const MultiplyPanel multiply = checked(kernels.multiply_panel_bf16, Dtype::bf16);
    return multiply;
  }
  static const MultiplyPanel multiply = checked(kernels.multiply_panel_i8, Dtype::i8);
  return multiply;
}

// Computes the tiles of all products, each by compute_tile(tile, its panels, its numbers), which returns the
// tile's integers.
template <class Compute>
void multiply_tiles(Context& context, int64_t rows, std::span<const Panels> panels, const Panels* gate,
                    Compute compute_tile, const auto& finish) {
  const int64_t tall = parts_of(rows, kPanelRows),
                height = round_up(parts_of(rows, tall), kBlockRows);  // tasks of about equal size
  int64_t count = 0;
  for (const auto& b : panels) count += b.count();
  // A thread computes all tiles of a panel, so that the panel comes from memory once; those that would leave
  // a thread idle are divided.
  const int64_t whole = count - count % context.pool().size();
  const auto compute = [&](int64_t panel, int64_t row) {
    size_t place = 0;
    while (panel >= panels[place].count()) panel -= panels[place++].count();
    const Panels& b = panels[place];
    alignas(64) float numbers[kPanelRows * kWidest];
    const int64_t first = panel * b.width();
    Tile tile = {.row = row,
                 .rows = std::min(height, rows - row),
                 .column = first,
                 .columns = std::min(b.width(), b.cols - first),
                 .numbers = numbers,
                 .gate = nullptr,
                 .stride = b.width(),
                 .place = place};
    tile.integers = compute_tile(tile, b, numbers);
    if (gate == nullptr) return finish(tile);
    alignas(64) float of_gate[kPanelRows * kWidest];
    tile.gate_integers = compute_tile(tile, *gate, of_gate);
    tile.gate = of_gate;
    finish(tile);
  };
  context.pool().run_grid(whole + (count - whole) * tall, [&](int64_t i, int) {
    if (i >= whole) return compute(whole + (i - whole) / tall, (i - whole) % tall * height);
    for (int64_t row = 0; row < rows; row += height) compute(i, row);
  });
}

void multiply_dense(Context& context, const DenseRows& x, int64_t rows, std::span<const Panels> panels,
                    const Panels* gate, const std::function<void(const Tile&)>& finish) {
  const auto few = rows <= kPanelRows ? kernel_for_few(context.kernels(), panels.front().dtype) : nullptr;
  multiply_tiles(
      context, rows, panels, gate,
      [&](const Tile& tile, const Panels& b, float* numbers) {
        if (few != nullptr) {
          multiply_few(context.kernels(), few, context.pool().size(), x, b, tile, numbers);
        } else {
          multiply_dense(x, b, tile, numbers);
        }
        return x.quantized == nullptr ? IntegerColumns() : column_numbers(b, tile.column / b.width());
      },
      [&](Tile tile) {
        if (x.quantized != nullptr) tile.quantized = x.quantized + tile.row;
        finish(tile);
      });
}

}  // namespace

bool has_bf16() { return !matmul_code(Dtype::bf16).empty(); }

Dtype arithmetic(std::optional<Dtype> wish) {
  const Dtype dtype = wish.value_or(has_amx() && has_bf16() ? Dtype::bf16 : Dtype::f32);
  if (dtype == Dtype::bf16 && !has_bf16())
    throw Error(opt::dtype, " bf16: this processor does not multiply bf16 (AVX512_BF16)");
  return dtype;
}

std::string arithmetic_name(Dtype dtype) {
  if (is_matmul(dtype))
    return std::string(dtype == Dtype::i8     ? "int8"
                       : dtype == Dtype::bf16 ? "bf16"
                                              : "f32") +
           " (matmul " + matmul_code(dtype) + ")";
  return dtype == Dtype::i8 ? "int8 (gemm_u8s8s32)" : "f32 (sgemm)";
}

int64_t Panels::width() const { return is_matmul(dtype) ? kMatmulColumns : kWidest; }

int64_t Panels::room() const { return round_up(depth, block_rows(dtype)); }

int64_t Panels::bytes() const {
  const int64_t numbers = room() * width() * static_cast<int64_t>(size_of(dtype));
  return dtype == Dtype::i8 ? numbers + width() * 8 : numbers;
}

void Panels::pack(const Kernels& kernels, int64_t i, const Stored& w) const {
  if (dtype == Dtype::i8 && w.scales != nullptr && has_exact_bytes()) return copy_i8(kernels, w, *this, i);
  std::vector<float> copy;
  const SourceRows rows = rows_of(kernels, w, *this, i, copy);
  switch (dtype) {
    case Dtype::bf16:
      return pack_bf16(kernels, rows, depth, panel(i));
    case Dtype::i8:
      return pack_i8(kernels, rows, *this, i);
    default:
      return kernels.transpose(rows.count, depth, rows.numbers, rows.stride,
                               reinterpret_cast<float*>(panel(i)), width());
  }
}

void multiply(Context& context, const Tensor& x, int64_t column, std::span<const Panels> panels,
              const std::function<void(const Tile&)>& finish, const Panels* gate) {
  if (panels.empty() || x.rows() == 0) return;
  const Dtype dtype = panels.front().dtype;
  if (dtype == Dtype::i8 || is_matmul(dtype)) {
    const DenseRows rows = dense_rows(context, x, column, panels.front());
    return multiply_dense(context, rows, x.rows(), panels, gate, finish);
  }
  multiply_tiles(
      context, x.rows(), panels, gate,
      [&](const Tile& tile, const Panels& b, float* numbers) {
        const auto* const of_panel = reinterpret_cast<const float*>(b.panel(tile.column / b.width()));
        nn::multiply(context.kernels(), {.rows = tile.rows,
                                         .cols = round_up(tile.columns, kBlockColumns),
                                         .depth = b.depth,
                                         .a = {.numbers = x.row(tile.row) + column, .stride = x.stride()},
                                         .b = {.numbers = of_panel, .stride = b.width()},
                                         .c = numbers,
                                         .c_stride = b.width(),
                                         .room = true});
        return IntegerColumns();
      },
      finish);
}

Range RangedRows::whole(int64_t row) const {
  Range range;
  for (const Range* part = of(row, 0); part < of(row, 0) + count; ++part)
    range = {std::min(range.low, part->low), std::max(range.high, part->high)};
  return range;
}

RangedRows ranged_rows(Tensor& y, int64_t rows, const Panels& of_y) {
  const int64_t first = round_up(of_y.cols, Tensor::kColumns);
  y.reshape(rows, first + 2 * of_y.count());
  return {.rows = y, .first = first, .tile = of_y.width(), .count = of_y.count()};
}

void multiply(Context& context, const RangedRows& x, std::span<const Panels> panels,
              const std::function<void(const Tile&)>& finish) {
  if (x.rows.rows() == 0) return;
  const DenseRows rows = dense_rows(context, x.rows, 0, panels.front(), &x);
  multiply_dense(context, rows, x.rows.rows(), panels, nullptr, finish);
}

std::optional<ColumnBlocks> blocks_in(Tensor& y, const Panels& of_y, const Panels& next) {
  if (next.dtype == Dtype::i8 || !is_matmul(next.dtype)) return std::nullopt;
  ColumnBlocks blocks = blocks_of(y.rows(), next);
  if (next.depth % of_y.width() != 0 || blocks.block % of_y.width() != 0) return std::nullopt;
  blocks.data = reinterpret_cast<std::byte*>(y.row(0));
  return blocks;
}

void multiply(Context& context, const ColumnBlocks& x, int64_t rows, std::span<const Panels> panels,
              const std::function<void(const Tile&)>& finish) {
  if (rows > 0) multiply_dense(context, {.numbers = x}, rows, panels, nullptr, finish);
}

}  // namespace bert::nn
