#include "ckpt/column_major.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace bert::ckpt {
namespace {

constexpr int64_t kBlockBytes = 1 << 20;

// Transposes elements of type T to [count, cols] from [cols, stride].
template <class T>
void transpose(const std::byte* from, int64_t stride, int64_t count, int64_t cols, std::byte* to) {
  for (int64_t k = 0; k < cols; ++k) {
    const std::byte* row = from + k * stride * sizeof(T);
    std::byte* column = to + k * sizeof(T);
    for (int64_t n = 0; n < count; ++n) {
      std::memcpy(column + n * cols * sizeof(T), row + n * sizeof(T), sizeof(T));
    }
  }
}

}  // namespace

ColumnMajor::ColumnMajor(std::span<const int64_t> shape, std::span<const std::byte> bytes)
    : rows(shape[0]), cols(shape[1]), data(bytes), width(bytes.size() / (rows * cols)) {
  assert(shape.size() == 2 && !bytes.empty());
}

int64_t ColumnMajor::block_rows() const { return std::max<int64_t>(1, kBlockBytes / (cols * width)); }

void ColumnMajor::read_rows(int64_t first, int64_t end, std::vector<std::byte>& to) const {
  const int64_t count = end - first;
  to.resize(count * cols * width);
  const std::byte* from = data.data() + first * width;
  switch (width) {
    case 8:
      return transpose<uint64_t>(from, rows, count, cols, to.data());
    case 4:
      return transpose<uint32_t>(from, rows, count, cols, to.data());
    case 2:
      return transpose<uint16_t>(from, rows, count, cols, to.data());
    default:
      assert(width == 1);
      return transpose<uint8_t>(from, rows, count, cols, to.data());
  }
}

std::span<const std::byte> row_major(std::span<const int64_t> shape, std::span<const std::byte> data,
                                     bool transposed, std::vector<std::byte>& to) {
  if (!transposed) return data;
  const ColumnMajor columns(shape, data);
  columns.read_rows(0, columns.rows, to);
  return to;
}

}  // namespace bert::ckpt
