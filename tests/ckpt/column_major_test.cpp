#include "ckpt/column_major.h"

#include <doctest/doctest.h>

#include <cstring>
#include <random>

#include "base/file.h"
#include "ckpt/checkpoint.h"
#include "ckpt/safetensors_writer.h"
#include "ckpt/written_files.h"

using namespace bert;
using namespace bert::ckpt;

namespace {

// The same matrix in row-major and column-major order.
struct Both {
  std::vector<std::byte> rows, columns;
  StoredTensor row_major, transposed;

  Both(int64_t n, int64_t k, Dtype dtype, uint32_t seed)
      : rows(static_cast<size_t>(n * k) * size_of(dtype)), columns(rows.size()) {
    std::mt19937 random(seed);
    for (auto& byte : rows) byte = static_cast<std::byte>(random() & 0x3f);  // no NaN in any format
    const size_t width = size_of(dtype);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < k; ++j) {
        std::memcpy(&columns[static_cast<size_t>(j * n + i) * width],
                    &rows[static_cast<size_t>(i * k + j) * width], width);
      }
    }
    row_major = {.name = "a", .dtype = dtype, .shape = {n, k}, .data = rows};
    transposed = {.name = "a", .dtype = dtype, .shape = {n, k}, .data = columns, .transposed = true};
  }
};

constexpr std::pair<int64_t, int64_t> kShapes[] = {{1, 1}, {2, 3}, {5, 1}, {1, 7}, {301, 999}, {3, 200'000}};

}  // namespace

TEST_CASE("a column-major matrix reads the same numbers as the row-major one") {
  for (const auto& [n, k] : kShapes) {
    for (const auto dtype : {Dtype::f64, Dtype::f32, Dtype::f16, Dtype::bf16}) {
      const Both both(n, k, dtype, 1);
      std::vector<float> expected(static_cast<size_t>(n * k)), found(expected.size());
      to_f32(both.row_major, expected);
      to_f32(both.transposed, found);
      CHECK(found == expected);
    }
  }
}

TEST_CASE("equality compares numbers, not their order in the file") {
  for (const auto dtype : {Dtype::i64, Dtype::f32, Dtype::bf16, Dtype::u8}) {
    Both both(6, 5, dtype, 2);
    CHECK(equal(both.row_major, both.transposed));
    CHECK(equal(both.transposed, both.row_major));
    CHECK(equal(both.transposed, both.transposed));
    both.columns[17] ^= std::byte{1};
    CHECK(!equal(both.row_major, both.transposed));
    CHECK(!equal(both.transposed, both.row_major));
  }
}

TEST_CASE("files are written in row-major order whatever the source order") {
  const Folder folder;
  for (const auto& [n, k] : kShapes) {
    const Both both(n, k, Dtype::f32, 3);
    for (const auto store : {Dtype::f32, Dtype::bf16}) {
      const auto write = [&](const char* name, const StoredTensor& tensor) {
        const TensorToWrite to_write = {.name = tensor.name,
                                        .shape = tensor.shape,
                                        .data = tensor.data,
                                        .dtype = tensor.dtype,
                                        .store = store,
                                        .transposed = tensor.transposed};
        write_safetensors(folder.path(name), {&to_write, 1});
        return read_file(folder.path(name));
      };
      CHECK(write("rows", both.row_major) == write("columns", both.transposed));
    }
  }
}
