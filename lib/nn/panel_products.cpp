#include "nn/panel_products.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "base/random.h"
#include "nn/matmul.h"
#include "nn/onednn.h"
#include "nn/tensor.h"

namespace bert::nn {
namespace {

constexpr int64_t kMatmulDepth = 768;  // longest part of a matmul's depth: each part costs some time

// Longest part of the depth that oneDNN's kernels add up as one chain of multiply-adds. matmul cuts off such
// parts, dnnl_sgemm halves what is longer.
constexpr int64_t kMatmulChain = 512, kSgemmChain = 256;

// The most rows for which our kernels are faster. dnnl_sgemm keeps small parts of both factors together.
int64_t most_rows(Dtype dtype) {
  if (uses_matmul(dtype)) return 3 * kPanelRows;
  return dtype == Dtype::i8 ? std::numeric_limits<int64_t>::max() : 32;
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

const float* floats(const std::byte* at) { return reinterpret_cast<const float*>(at); }

// Random numbers, repeated in a period that no block has: random ones take longer to make than to multiply.
void fill(Random& random, Dtype dtype, std::span<std::byte> bytes) {
  constexpr size_t kPeriod = 1009;
  std::vector<float> numbers(bytes.size() / size_of(dtype));
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = i < kPeriod ? static_cast<float>(random.uniform() - 0.5) : numbers[i - kPeriod];
  from_f32(numbers, dtype, bytes.data());
}

}  // namespace

bool uses_matmul(Dtype dtype) {
  static const bool f32_does = !matmul_code(Dtype::f32).empty(), i8_does = !matmul_code(Dtype::i8).empty();
  return dtype == Dtype::bf16 || (dtype == Dtype::f32 ? f32_does : i8_does);
}

bool has_groups() { return usable_kernels().multiply_panel_i8 != nullptr; }

int64_t block_rows(Dtype dtype) { return kBlockColumns * 4 / static_cast<int64_t>(size_of(dtype)); }

ColumnBlocks blocks_of(int64_t rows, const Panels& panels) {
  const bool is_i8 = panels.dtype == Dtype::i8, is_padded = is_i8 ? has_groups() : panels.dtype != Dtype::f32;
  const int64_t cols = is_padded ? panels.room() : panels.depth,
                parts = is_i8 ? 1 : parts_of(cols, kMatmulDepth);
  return {.dtype = panels.dtype,
          .rows = round_up(rows, kBlockRows),
          .cols = cols,
          .block = is_i8 ? cols : round_up(parts_of(cols, parts), block_rows(panels.dtype))};
}

void multiply_block(const ColumnBlocks& x, int64_t from, const std::byte* b, const Tile& tile,
                    float* numbers) {
  matmul({.dtype = x.dtype,
          .rows = padded_rows(x.dtype, tile.rows),
          .cols = kMatmulColumns,
          .depth = x.width(from),
          .panel = true,
          .into = from == 0 ? Into::replace : Into::add},
         x.at(tile.row, from), b, numbers);
}

void multiply_panel(const ColumnBlocks& x, const Panels& panels, const Tile& tile, float* numbers) {
  const int64_t size = size_of(panels.dtype), width = panels.width();
  const std::byte* const b = panels.panel(tile.column / width);
  if (!uses_matmul(panels.dtype))
    return multiply_bytes(tile.rows, width, panels.depth, reinterpret_cast<uint8_t*>(x.at(tile.row, 0)),
                          reinterpret_cast<const int8_t*>(b), panels.room(),
                          reinterpret_cast<int32_t*>(numbers));
  for (int64_t from = 0; from < x.cols; from += x.block)
    multiply_block(x, from, b + from * width * size, tile, numbers);
}

void multiply_panel(const Kernels& kernels, const Factor& x, const Panels& panels, const Tile& tile,
                    float* numbers) {
  multiply(kernels,
           {.rows = tile.rows,
            .cols = round_up(tile.columns, kBlockColumns),
            .depth = panels.depth,
            .a = x.from(tile.row, 0),
            .b = {.numbers = floats(panels.panel(tile.column / panels.width())), .stride = panels.width()},
            .c = numbers,
            .c_stride = panels.width(),
            .room = true});
}

// The panel of a tile, from its first row on.
class PanelKernel::Panel {
 public:
  Panel(const PanelKernel& kernel, const Panels& panels, const Tile& tile)
      : kernel_(kernel), panels_(panels), tile_(tile), number_(tile.column / panels.width()) {}

  // sums = x · its next rows, or sums += this. x [tile.rows, depth]
  void multiply(int64_t depth, const std::byte* x, int64_t x_stride, Into into, float* sums) {
    alignas(64) float part[kPanelRows * kWidestPanel];
    const int64_t size = size_of(panels_.dtype), width = panels_.width(),
                  in_float = static_cast<int64_t>(sizeof(float)) / size;
    const std::byte* const at = panels_.panel(number_) + row_ * width * size;
    row_ += depth;
    kernel_.kernel_({.rows = tile_.rows,
                     .depth = depth / in_float,
                     .x = floats(x),
                     .x_stride = x_stride / in_float,
                     .panel = floats(at),
                     .next = next(at + depth * width * size),
                     .sums = into == Into::add ? part : sums});
    if (into == Into::add) kernel_.kernels_->add(tile_.rows * width, part, sums);
  }

 private:
  // What is likely multiplied next: other threads take the panels between.
  const float* next(const std::byte* following) const {
    const int64_t later = number_ + kernel_.threads_;
    if (row_ < panels_.depth) return floats(following);
    return later < panels_.count() ? floats(panels_.panel(later)) : nullptr;
  }

  const PanelKernel& kernel_;
  const Panels& panels_;
  const Tile& tile_;
  int64_t number_, row_ = 0;
};

void PanelKernel::multiply(const ColumnBlocks& x, const Panels& panels, const Tile& tile,
                           float* numbers) const {
  const int64_t chain = panels.dtype == Dtype::i8 ? x.cols : kMatmulChain;  // integers are exact
  Panel panel(*this, panels, tile);
  alignas(64) float of_block[kPanelRows * kWidestPanel];
  for (int64_t block = 0; block < x.cols; block += x.block) {
    float* const sums = block == 0 ? numbers : of_block;
    const int64_t depth = x.width(block);
    for (int64_t from = 0; from < depth; from += chain) {
      panel.multiply(std::min(chain, depth - from), x.at(tile.row, block) + from * size_of(panels.dtype),
                     depth, from == 0 ? Into::replace : Into::add, sums);
    }
    if (block > 0) kernels_->add(tile.rows * panels.width(), of_block, numbers);
  }
}

void PanelKernel::multiply(const Factor& x, const Panels& panels, const Tile& tile, float* numbers) const {
  Panel panel(*this, panels, tile);
  for_parts(panels.depth, [&](int64_t first, int64_t depth) {
    const int64_t chain = depth > kSgemmChain ? parts_of(depth, 2) : depth;
    for (int64_t from = first; from < first + depth; from += chain) {
      panel.multiply(std::min(chain, first + depth - from),
                     reinterpret_cast<const std::byte*>(x.from(tile.row, from).numbers), x.stride,
                     from == 0 ? Into::replace : Into::add, numbers);
    }
  });
}

bool PanelKernel::adds_like_onednn(Dtype dtype) const {
  constexpr int64_t kRows = kBlockRows, kDepths[] = {1000, 2 * kMatmulDepth};
  Random random(1);
  for (const int64_t depth : kDepths) {
    Panels panels = {.dtype = dtype, .depth = depth, .cols = 1};
    const Tile tile = {.rows = kRows, .columns = panels.width()};
    ColumnBlocks x = blocks_of(2 * kRows, panels);  // some more may be read
    const Memory of_x(x.floats()), of_panel(parts_of(panels.bytes(), sizeof(float)));
    const Memory sums(2 * kRows * panels.width()), expected(2 * kRows * panels.width());
    x.data = reinterpret_cast<std::byte*>(of_x.data());
    panels.data = reinterpret_cast<std::byte*>(of_panel.data());
    fill(random, dtype, {x.data, of_x.size() * sizeof(float)});
    fill(random, dtype, {panels.data, of_panel.size() * sizeof(float)});
    if (uses_matmul(dtype)) {
      multiply_panel(x, panels, tile, expected.data());
      multiply(x, panels, tile, sums.data());
    } else {
      const Factor rows = {.numbers = of_x.data(), .stride = depth};
      multiply_panel(*kernels_, rows, panels, tile, expected.data());
      multiply(rows, panels, tile, sums.data());
    }
    if (std::memcmp(expected.data(), sums.data(), kRows * panels.width() * sizeof(float)) != 0) return false;
  }
  return true;
}

std::optional<PanelKernel> panel_kernel(Context& context, Dtype dtype, int64_t rows) {
  static const bool in_tiles = has_amx();  // of which our kernels make no use
  if (rows > most_rows(dtype)) return std::nullopt;
  if (in_tiles && dtype != Dtype::f32 && uses_matmul(dtype)) return std::nullopt;
  const Kernels& kernels = context.kernels();
  const auto usable = [&](Dtype of, PanelKernel::MultiplyPanel kernel) {
    return kernel != nullptr && PanelKernel(kernels, kernel, 1).adds_like_onednn(of) ? kernel : nullptr;
  };
  const auto kernel = [&] {
    if (dtype == Dtype::i8) return kernels.multiply_panel_i8;
    if (dtype == Dtype::bf16) {
      static const auto of_bf16 = usable(Dtype::bf16, kernels.multiply_panel_bf16);
      return of_bf16;
    }
    static const auto of_f32 = usable(Dtype::f32, kernels.multiply_panel);
    return of_f32;
  }();
  return kernel == nullptr ? std::nullopt
                           : std::optional(PanelKernel(kernels, kernel, context.pool().size()));
}

}  // namespace bert::nn
