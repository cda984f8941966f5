#include "nn/blocks.h"

namespace bert::nn {

void ColumnBlocks::fill(Pool& pool, int64_t count, int64_t filled, const float* from, int64_t stride) const {
  constexpr int64_t kTaskRows = 16;
  pool.run_grid(parts_of(count, kTaskRows), [&](int64_t i, int) {
    for (int64_t row = i * kTaskRows; row < std::min(count, (i + 1) * kTaskRows); ++row) {
      for (int64_t column = 0; column < cols; column += block) {
        const int64_t taken = std::clamp<int64_t>(filled - column, 0, width(column)), size = size_of(dtype);
        from_f32({from + row * stride + column, static_cast<size_t>(taken)}, dtype, at(row, column));
        std::fill_n(at(row, column) + taken * size, (width(column) - taken) * size, std::byte{0});
      }
    }
  });
}

}  // namespace bert::nn
