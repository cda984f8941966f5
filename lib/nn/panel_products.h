// Products of some rows of x with one of the Panels, on the calling thread: by oneDNN, or by our kernels for
// few rows.
//
// With one tile or a few, it shows that each panel comes from memory for them alone. Our kernels fetch it
// while they multiply, which oneDNN does not: this takes a quarter to a third less time with 16 rows, and
// 5 % less with 128. They add up numbers in the order of oneDNN, so that a row has the same bits among few
// rows and among many. In i8, where sums are exact, they replace dnnl_gemm_u8s8s32, which reorders the
// panel each time, for any number of rows.
#pragma once

#include <cstdint>
#include <optional>

#include "nn/blocks.h"
#include "nn/context.h"
#include "nn/kernels/kernels.h"
#include "nn/panels.h"
#include "nn/products.h"

namespace bert::nn {

constexpr int64_t kPanelRows = 96;  // of a tile; with more rows, matmul may split the depth differently
constexpr int64_t kWidestPanel = kPanelColumns<8>;

// Whether oneDNN multiplies such panels by its matmul; otherwise by dnnl_sgemm, in i8 by dnnl_gemm_u8s8s32.
bool uses_matmul(Dtype dtype);

// Whether panels in i8 have groups of four rows, which matmul and our kernels read. Our kernels multiply them
// if matmul does not.
bool has_groups();

// Rows of a column that make a block of 64 bytes in oneDNN's layout. Its kernels may read whole blocks.
int64_t block_rows(Dtype dtype);

// The form in which such products read x, without memory; not for dnnl_sgemm. In i8 the depth is not split.
ColumnBlocks blocks_of(int64_t rows, const Panels& panels);

// One of the parts of such a product: the tile's numbers are those of the block of x at column `from`, or
// this is added to them. `b` has the rows of the panel from `from` on.
void multiply_block(const ColumnBlocks& x, int64_t from, const std::byte* b, const Tile& tile,
                    float* numbers);

// Computes the tile's numbers [rows, panels.width()] from its rows of x, in this form or, for dnnl_sgemm, in
// f32, and its panel. The numbers have room for whole blocks.
void multiply_panel(const ColumnBlocks& x, const Panels& panels, const Tile& tile, float* numbers);
void multiply_panel(const Kernels& kernels, const Factor& x, const Panels& panels, const Tile& tile,
                    float* numbers);

// The same by one of our kernels.
class PanelKernel {
 public:
  void multiply(const ColumnBlocks& x, const Panels& panels, const Tile& tile, float* numbers) const;
  void multiply(const Factor& x, const Panels& panels, const Tile& tile, float* numbers) const;

 private:
  using MultiplyPanel = decltype(Kernels::multiply_panel);
  class Panel;
  friend std::optional<PanelKernel> panel_kernel(Context& context, Dtype dtype, int64_t rows);

  PanelKernel(const Kernels& kernels, MultiplyPanel kernel, int threads)
      : kernels_(&kernels), kernel_(kernel), threads_(threads) {}
  bool adds_like_onednn(Dtype dtype) const;

  const Kernels* kernels_;
  MultiplyPanel kernel_;
  int threads_;  // that share the panels of a product
};

// Nothing if oneDNN is faster with this number of rows, or adds up numbers in another order.
std::optional<PanelKernel> panel_kernel(Context& context, Dtype dtype, int64_t rows);

}  // namespace bert::nn
