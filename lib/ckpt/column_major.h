// Reads the rows of a matrix stored in column-major order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bert::ckpt {

struct ColumnMajor {
  int64_t rows, cols;               // N, K
  std::span<const std::byte> data;  // [K,N]
  size_t width;                     // bytes per element

  // `shape` is [N,K]; must not be empty.
  ColumnMajor(std::span<const int64_t> shape, std::span<const std::byte> data);

  // Number of rows to read at once: about 1 MiB.
  int64_t block_rows() const;
  // Rows [first, end) as [end - first, K].
  void read_rows(int64_t first, int64_t end, std::vector<std::byte>& to) const;
};

// The bytes of a matrix in row-major order: `data`, or `to` if they have to be `transposed`.
std::span<const std::byte> row_major(std::span<const int64_t> shape, std::span<const std::byte> data,
                                     bool transposed, std::vector<std::byte>& to);

}  // namespace bert::ckpt
