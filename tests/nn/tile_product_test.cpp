#include "nn/tile_product.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "nn/kernels.h"
#include "nn/tensor.h"

using namespace bert::nn;

namespace {

Memory random_numbers(int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  Memory memory(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) memory.data()[i] = normal(random);
  return memory;
}

}  // namespace

TEST_CASE("a row of a tile has the same bits wherever it stands and however many rows there are") {
  constexpr int64_t kRows = 64, kColumns = TileProduct::kColumns;
  const TileProduct products(1);
  for (int64_t depth : {16, 24, 64, 78, 312, 384, 768, 1024, 3072}) {
    const int64_t stride = (depth + 63) / 64 * 64, whole_depth = (depth + 15) / 16 * 16;
    const Memory x = random_numbers(2 * kRows * stride, 1);
    Memory panel = random_numbers(whole_depth * kColumns, 2);
    std::fill(panel.data() + depth * kColumns, panel.data() + whole_depth * kColumns, 0.0f);
    Memory whole(kRows * kColumns), part(kRows * kColumns);
    products.run(0, kRows, depth, x.data(), stride, panel.data(), whole.data());
    for (int64_t rows = 1; rows <= kRows; ++rows) {
      const int64_t first = (rows * 7) % (kRows - rows + 1);
      products.run(0, rows, depth, x.data() + first * stride, stride, panel.data(), part.data());
      const bool same = std::memcmp(part.data(), whole.data() + first * kColumns,
                                    static_cast<size_t>(rows * kColumns) * sizeof(float)) == 0;
      CHECK_MESSAGE(same, "depth ", depth, ", rows ", first, " to ", first + rows);
    }
    for (int64_t column = 0; column < kColumns; column += 13) {
      double expected = 0, scale = 0;
      for (int64_t i = 0; i < depth; ++i) {
        const double term = static_cast<double>(x.data()[i]) * panel.data()[i * kColumns + column];
        expected += term;
        scale += std::abs(term);
      }
      CHECK(std::abs(whole.data()[column] - expected) < 1e-6 * scale);
    }
  }
}
