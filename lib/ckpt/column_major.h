// A matrix whose numbers lie column by column, read row by row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bert::ckpt {

struct ColumnMajor {
  int64_t rows, cols;               // N, K
  std::span<const std::byte> data;  // [K,N]
  size_t width;                     // bytes of a number

  // `shape` is [N,K], not empty.
  ColumnMajor(std::span<const int64_t> shape, std::span<const std::byte> data);

  // Rows that are worth reading together: about 1 MiB.
  int64_t block_rows() const;
  // Rows [first, end) as [end - first, K].
  void read_rows(int64_t first, int64_t end, std::vector<std::byte>& to) const;
};

}  // namespace bert::ckpt
