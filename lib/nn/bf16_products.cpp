#include "nn/bf16_products.h"

#include <algorithm>
#include <cassert>
#include <vector>

#include "nn/bf16_panels.h"
#include "nn/matmul.h"
#include "nn/panel_products.h"

namespace bert::nn {
namespace {

// Tiles do not depend on the number of threads, because oneDNN may split the depth differently in others.
constexpr int64_t kTileRows = 192, kTileColumns = 384;
static_assert(kTileColumns % kMatmulColumns == 0);

constexpr int64_t kWhole = 48;  // whole blocks of rows, and whole vectors to round
static_assert(kWhole % kBlockRows == 0 && kWhole % kBlockColumns == 0);

// A part of the depth in which row sums are added up.
struct Part {
  int64_t from, depth;
};

std::vector<Part> parts_in(int64_t depth) {
  std::vector<Part> parts;
  for_parts(depth, [&](int64_t from, int64_t part) { parts.push_back({from, part}); });
  return parts;
}

// Fills `a` with the first factor, and sums [parts, rows] with its row sums in each part.
void round_and_sum(Context& context, const Product& p, std::span<const Part> parts, const ColumnBlocks& a,
                   float* sums) {
  const Kernels& kernels = context.kernels();
  const int64_t blocks = parts_of(a.cols, a.block);
  context.pool().run_grid(std::ssize(parts) * blocks, [&](int64_t i, int) {
    const auto [from, depth] = parts[i / blocks];
    const int64_t column = i % blocks * a.block, width = a.width(column);
    float* const sum = sums + i / blocks * a.cols + column;
    std::fill_n(sum, width, 0.0f);
    for (int64_t row = from; row < from + depth; ++row) {
      const float* const numbers = p.a.from(column, row).numbers;
      kernels.to_bf16(width, numbers, reinterpret_cast<uint16_t*>(a.at(row, column)));
      if (p.row_sums != nullptr) kernels.add(width, numbers, sum);
    }
  });
  for (int64_t column = 0; column < a.cols; column += a.block)
    std::fill(a.at(p.depth, column), a.at(a.rows, column), std::byte{0});
}

void pack(Context& context, const Factor& b, const Panels& panels) {
  constexpr int64_t kTaskRows = 256;
  const int64_t tasks = parts_of(panels.room(), kTaskRows);
  context.pool().run_grid(panels.count() * tasks, [&](int64_t i, int) {
    const int64_t panel = i / tasks, row = i % tasks * kTaskRows;
    pack_part_bf16(context.kernels(), panels, b, panel, row, std::min(kTaskRows, panels.room() - row),
                   panels.panel(panel) + row * panels.width() * static_cast<int64_t>(size_of(panels.dtype)));
  });
}

}  // namespace

void multiply_bf16(Context& context, const Product& p) {
  assert(p.a.order == Order::columns && p.b.order == Order::rows);
  if (p.rows == 0 || p.depth == 0) return;
  const auto parts = parts_in(p.depth);
  Panels b = {.dtype = Dtype::bf16, .depth = p.depth, .cols = p.cols};
  ColumnBlocks a = {.dtype = Dtype::bf16,
                    .rows = b.room(),
                    .cols = p.rows,
                    .block = round_up(parts_of(p.rows, parts_of(p.rows, kTileRows)), kWhole)};
  const int64_t a_floats = round_up(a.floats(), 16), b_floats = round_up(b.count() * b.bytes() / 4, 16);
  float* const copies = context.shared(a_floats + b_floats + std::ssize(parts) * a.cols);
  a.data = reinterpret_cast<std::byte*>(copies);
  b.data = reinterpret_cast<std::byte*>(copies + a_floats);
  float* const sums = copies + a_floats + b_floats;
  round_and_sum(context, p, parts, a, sums);
  pack(context, p.b, b);
  const int64_t tall = parts_of(p.rows, a.block);
  context.pool().run_grid(tall * parts_of(p.cols, kTileColumns), [&](int64_t i, int thread) {
    const int64_t row = i % tall * a.block, column = i / tall * kTileColumns, rows = a.width(row),
                  cols = std::min(kTileColumns, p.cols - column), width = round_up(cols, b.width());
    float* const tile = context.scratch(thread, a.block * kTileColumns);
    float* const c = p.c + row * p.c_stride + column;
    if (p.into == Into::add) copy_rows(rows, cols, c, p.c_stride, tile, width);
    matmul({.dtype = Dtype::bf16,
            .rows = rows,
            .cols = width,
            .depth = a.rows,
            .a_by_columns = true,
            .panel = true,
            .into = p.into},
           a.at(0, row), b.panel(column / b.width()), tile);
    copy_rows(rows, cols, tile, width, c, p.c_stride);
    if (p.row_sums == nullptr || column > 0) return;
    for (size_t part = 0; part < parts.size(); ++part)
      context.kernels().add(rows, sums + part * a.cols + row, p.row_sums + row);
  });
}

void multiply_unpacked(Context& context, const Tensor& x, int64_t first, int64_t count, const Panels& panels,
                       const Factor& b, const std::function<void(const Tile&)>& finish) {
  assert(panels.dtype == Dtype::bf16);
  if (count == 0) return;
  const int64_t width = panels.width();
  ColumnBlocks rows = blocks_of(count, panels);
  rows.data = reinterpret_cast<std::byte*>(context.shared(rows.floats()));
  rows.fill(context, count, panels.depth, x.row(first), x.stride());
  const int64_t tall = parts_of(count, kPanelRows), height = round_up(parts_of(count, tall), kBlockRows),
                groups = std::clamp<int64_t>(context.pool().size() / panels.count(), 1, tall),
                group_rows = parts_of(tall, groups) * height, part_floats = rows.block / 2 * width;
  context.pool().run_grid(panels.count() * groups, [&](int64_t i, int thread) {
    const int64_t begin = i % groups * group_rows, end = std::min(count, begin + group_rows),
                  panel = i / groups, column = panel * width;
    float* const sums = context.scratch(thread, group_rows * width + part_floats);
    auto* const part = reinterpret_cast<std::byte*>(sums + group_rows * width);
    const auto for_tiles = [&](const auto& f) {
      for (int64_t row = begin; row < end; row += height) {
        f(Tile{.row = row,
               .rows = std::min(height, end - row),
               .column = column,
               .columns = std::min(width, panels.cols - column),
               .numbers = sums + (row - begin) * width,
               .stride = width});
      }
    };
    for (int64_t from = 0; from < rows.cols; from += rows.block) {
      pack_part_bf16(context.kernels(), panels, b, panel, from, rows.width(from), part);
      for_tiles([&](const Tile& tile) {
        multiply_block(rows, from, part, tile, sums + (tile.row - begin) * width);
      });
    }
    for_tiles(finish);
  });
}

}  // namespace bert::nn
