#include "nn/blocks.h"

#include "nn/context.h"

namespace bert::nn {

void ColumnBlocks::fill(Context& context, int64_t count, int64_t filled, const float* from,
                        int64_t stride) const {
  constexpr int64_t kTaskRows = 16;
  const auto copy = [&](const float* numbers, int64_t taken, std::byte* to) {
    if (dtype == Dtype::bf16)
      return context.kernels().to_bf16(taken, numbers, reinterpret_cast<uint16_t*>(to));
    from_f32({numbers, static_cast<size_t>(taken)}, dtype, to);
  };
  context.pool().run_grid(parts_of(count, kTaskRows), [&](int64_t i, int) {
    for (int64_t row = i * kTaskRows; row < std::min(count, (i + 1) * kTaskRows); ++row) {
      for (int64_t column = 0; column < cols; column += block) {
        const int64_t taken = std::clamp<int64_t>(filled - column, 0, width(column)), size = size_of(dtype);
        copy(from + row * stride + column, taken, at(row, column));
        std::fill_n(at(row, column) + taken * size, (width(column) - taken) * size, std::byte{0});
      }
    }
  });
}

}  // namespace bert::nn
