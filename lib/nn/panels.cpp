#include "nn/panels.h"

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/option.h"
#include "nn/bf16_panels.h"
#include "nn/blocks.h"
#include "nn/matmul.h"
#include "nn/onednn.h"
#include "nn/panel_products.h"

namespace bert::nn {
namespace {

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
  if (is_aligned_f32(w)) return {reinterpret_cast<const float*>(stored), count, depth};
  copy.resize(count * depth);
  if (w.scales != nullptr) {
    for (int64_t i = 0; i < count * depth; ++i)
      copy[i] = static_cast<float>(static_cast<int8_t>(stored[i])) * w.scales[first + i / depth];
  } else {
    to_f32(w.dtype, stored, copy);
  }
  return {copy.data(), count, depth};
}

// Integers of [count, room], aligned as floats, become columns of a panel.
void pack_integers(const Kernels& kernels, const int8_t* integers, int64_t count, const Panels& panels,
                   int64_t panel) {
  const int64_t room = panels.room();
  if (!has_groups()) {
    std::copy_n(integers, count * room, reinterpret_cast<int8_t*>(panels.panel(panel)));
    return;
  }
  // Four integers have the size of a float and are transposed as one.
  kernels.transpose(count, room / 4, reinterpret_cast<const float*>(integers), room / 4,
                    reinterpret_cast<float*>(panels.panel(panel)), panels.width());
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
  pack_integers(kernels, bytes, rows.count, panels, panel);
}

// The same of stored integers, as they are.
void copy_i8(const Kernels& kernels, const Stored& w, const Panels& panels, int64_t panel) {
  const int64_t depth = panels.depth, room = panels.room(), first = panel * panels.width(),
                count = std::min(panels.width(), panels.cols - first);
  const auto* stored = reinterpret_cast<const int8_t*>(w.data) + first * depth;
  const ColumnNumbers numbers = column_numbers(panels, panel);
  const std::vector<uint8_t> ones(depth, 1);
  for (int64_t i = 0; i < count; ++i) {
    numbers.scales[i] = w.scales[first + i];
    numbers.sums[i] = kernels.dot_bytes(depth, ones.data(), stored + i * depth);
  }
  std::vector<float> copy;
  if (depth < room || reinterpret_cast<uintptr_t>(stored) % alignof(float) != 0) {
    copy.resize(count * room / 4);
    auto* const integers = reinterpret_cast<int8_t*>(copy.data());
    for (int64_t i = 0; i < count; ++i) std::copy_n(stored + i * depth, depth, integers + i * room);
    stored = integers;
  }
  pack_integers(kernels, stored, count, panels, panel);
}

// The rows of x as matmul reads them.
struct DenseRows {
  ColumnBlocks numbers;
  QuantizedRow* quantized = nullptr;  // for i8: one for each row
};

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
    alignas(64) float numbers[kPanelRows * kWidestPanel];
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
    alignas(64) float of_gate[kPanelRows * kWidestPanel];
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
  const auto kernel = panel_kernel(context, panels.front().dtype, rows);
  multiply_tiles(
      context, rows, panels, gate,
      [&](const Tile& tile, const Panels& b, float* numbers) {
        if (kernel) {
          kernel->multiply(x.numbers, b, tile, numbers);
        } else {
          multiply_panel(x.numbers, b, tile, numbers);
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
  if (uses_matmul(dtype))
    return std::string(dtype == Dtype::i8     ? "int8"
                       : dtype == Dtype::bf16 ? "bf16"
                                              : "f32") +
           " (matmul " + matmul_code(dtype) + ")";
  if (dtype == Dtype::f32) return "f32 (sgemm)";
  return std::string("int8 (") + (has_groups() ? usable_kernels().name : "gemm_u8s8s32") + ")";
}

int64_t Panels::width() const { return usable_isa() == Isa::avx512 ? kMatmulColumns : kWidestPanel; }

int64_t Panels::room() const { return round_up(depth, block_rows(dtype)); }

int64_t Panels::bytes() const {
  const int64_t numbers = room() * width() * static_cast<int64_t>(size_of(dtype));
  return dtype == Dtype::i8 ? numbers + width() * 8 : numbers;
}

void Panels::pack(const Kernels& kernels, int64_t i, const Stored& w) const {
  if (dtype == Dtype::i8 && w.scales != nullptr && has_exact_bytes()) return copy_i8(kernels, w, *this, i);
  if (dtype == Dtype::bf16 && w.transposed) {
    const int64_t first = i * width();
    const Stored part = {.dtype = w.dtype, .data = w.data + first * static_cast<int64_t>(size_of(w.dtype))};
    return pack_rows_bf16(kernels, part, cols, std::min(width(), cols - first), depth, panel(i));
  }
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
  if (dtype == Dtype::i8 || uses_matmul(dtype)) {
    const DenseRows rows = dense_rows(context, x, column, panels.front());
    return multiply_dense(context, rows, x.rows(), panels, gate, finish);
  }
  const Factor rows = {.numbers = x.row(0) + column, .stride = x.stride()};
  const auto kernel = panel_kernel(context, dtype, x.rows());
  multiply_tiles(
      context, x.rows(), panels, gate,
      [&](const Tile& tile, const Panels& b, float* numbers) {
        if (kernel) {
          kernel->multiply(rows, b, tile, numbers);
        } else {
          multiply_panel(context.kernels(), rows, b, tile, numbers);
        }
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
  if (next.dtype == Dtype::i8 || !uses_matmul(next.dtype)) return std::nullopt;
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
