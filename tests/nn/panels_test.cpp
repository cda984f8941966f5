#include "nn/panels.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "nn/bf16_products.h"
#include "nn/onednn.h"
#include "nn/panel_products.h"
#include "nn/tensor.h"

using namespace bert;
using namespace bert::nn;

namespace {

std::vector<Dtype> dtypes() {
  std::vector<Dtype> usable = {Dtype::f32, Dtype::i8};
  if (has_bf16()) {
    usable.push_back(Dtype::bf16);
  } else {
    MESSAGE("bf16 skipped: this processor does not multiply it");
  }
  return usable;
}

// Normal random numbers, also in the padding beyond the columns.
Tensor random_tensor(std::mt19937& random, int64_t rows, int64_t cols) {
  std::normal_distribution<float> normal;
  Tensor tensor(rows, cols);
  for (int64_t i = 0; i < rows * tensor.stride(); ++i) tensor.row(0)[i] = normal(random);
  return tensor;
}

using Row = std::vector<double>;

Row rounded(std::span<const float> numbers, Dtype dtype) {
  std::vector<float> copy(numbers.begin(), numbers.end());
  std::vector<std::byte> bytes(copy.size() * size_of(dtype));
  from_f32(copy, dtype, bytes.data());
  to_f32(dtype, bytes.data(), copy);
  return {copy.begin(), copy.end()};
}

// A row of x quantized to bytes: 255 steps between its minimum and maximum, with 0 represented exactly.
Row rounded_to_bytes(std::span<const float> numbers) {
  const auto [low, high] = std::ranges::minmax(numbers);
  const double least = std::min(low, 0.0f), step = (std::max(high, 0.0f) - least) / 255,
               zero = std::round(-least / step);
  Row row;
  for (const float number : numbers) row.push_back(step * (std::round(number / step + zero) - zero));
  return row;
}

// A column of weights quantized to integers.
Row rounded_to_whole(std::span<const float> numbers) {
  double largest = 0;
  for (const double number : numbers) largest = std::max(largest, std::abs(number));
  const double step = largest / (has_exact_bytes() ? 127 : 63);
  Row row;
  for (const double number : numbers) row.push_back(step * std::round(number / step));
  return row;
}

// The panels of Wᵀ for W [cols, depth], packed from its rows or from its transpose.
struct Packed {
  Memory memory;
  Panels panels;
};
Packed packed(const Stored& stored, int64_t cols, int64_t depth, Dtype dtype) {
  Packed result = {.memory = {}, .panels = {.dtype = dtype, .depth = depth, .cols = cols}};
  Panels& panels = result.panels;
  result.memory = Memory(static_cast<size_t>(panels.count() * panels.bytes() / 4));
  panels.data = reinterpret_cast<std::byte*>(result.memory.data());
  for (int64_t i = 0; i < panels.count(); ++i) panels.pack(usable_kernels(), i, stored);
  return result;
}

enum class From { rows, columns };
std::vector<float> numbers_of(const Tensor& w, From from) {
  std::vector<float> numbers;
  if (from == From::rows) {
    for (int64_t n = 0; n < w.rows(); ++n)
      numbers.insert(numbers.end(), w.values(n).begin(), w.values(n).end());
  } else {
    for (int64_t k = 0; k < w.cols(); ++k) {
      for (int64_t n = 0; n < w.rows(); ++n) numbers.push_back(w.row(n)[k]);
    }
  }
  return numbers;
}

Packed packed(const Tensor& w, Dtype dtype, From from = From::rows) {
  const std::vector<float> numbers = numbers_of(w, from);
  const Stored stored = {.data = std::as_bytes(std::span(numbers)).data(),
                         .transposed = from == From::columns};
  return packed(stored, w.rows(), w.cols(), dtype);
}

bool same_panels(const Panels& a, const Panels& b) {
  return a.count() == b.count() && std::memcmp(a.data, b.data, a.count() * a.bytes()) == 0;
}

// The numbers of a tile, in their place of y.
void put(const Kernels& kernels, const Tile& tile, Tensor& y) {
  const std::vector<float> zeros(256);
  std::vector<float> numbers(tile.rows * tile.stride);
  kernels.finish_tile({.rows = tile.rows,
                       .columns = round_up(tile.columns, kBlockColumns),
                       .stride = tile.stride,
                       .layer = {tile.numbers, zeros.data(), tile.integers},
                       .quantized = tile.quantized},
                      numbers.data(), tile.stride);
  for (int64_t i = 0; i < tile.rows; ++i)
    std::copy_n(&numbers[i * tile.stride], tile.columns, y.row(tile.row + i) + tile.column);
}

Tensor product(Context& context, const Tensor& x, int64_t column, const Panels& panels) {
  Tensor y(x.rows(), panels.cols);
  multiply(context, x, column, {&panels, 1}, [&](const Tile& tile) { put(context.kernels(), tile, y); });
  return y;
}

bool same_rows(const Tensor& expected, int64_t first, const Tensor& actual) {
  for (int64_t i = 0; i < actual.rows(); ++i) {
    const auto size = static_cast<size_t>(actual.cols()) * sizeof(float);
    if (std::memcmp(expected.row(first + i), actual.row(i), size) != 0) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("panel products match double precision of the rounded factors, for any packing order") {
  std::mt19937 random(5);
  Pool pool(2);
  Context context(pool);
  for (const Dtype dtype : dtypes()) {
    for (const int64_t depth : {1, 2, 15, 16, 24, 52, 64, 78, 257, 312, 768, 769, 1200, 3072}) {
      constexpr int64_t kRows = 101, kCols = 139;
      const Tensor x = random_tensor(random, kRows, depth + 64), w = random_tensor(random, kCols, depth);
      const Tensor y = product(context, x, 64, packed(w, dtype).panels);
      CHECK(same_rows(y, 0, product(context, x, 64, packed(w, dtype, From::columns).panels)));
      std::vector<Row> columns;
      for (int64_t j = 0; j < kCols; ++j) {
        columns.push_back(dtype == Dtype::i8 ? rounded_to_whole(w.values(j)) : rounded(w.values(j), dtype));
      }
      double difference = 0, norm = 0;
      for (int64_t i = 0; i < kRows; i += 9) {
        const auto numbers = x.values(i).subspan(64);
        const Row row = dtype == Dtype::i8 ? rounded_to_bytes(numbers) : rounded(numbers, dtype);
        for (int64_t j = 0; j < kCols; ++j) {
          const double expected =
              std::inner_product(row.begin(), row.end(), columns[static_cast<size_t>(j)].begin(), 0.0);
          difference += (expected - y.row(i)[j]) * (expected - y.row(i)[j]);
          norm += expected * expected;
        }
      }
      // In f32 a number sometimes rounds to the other neighbouring integer.
      const double bound = dtype == Dtype::i8 ? 2e-4 : 6e-7;
      CHECK_MESSAGE(std::sqrt(difference / norm) < bound, name_of(dtype), ", depth ", depth);
    }
  }
}

TEST_CASE("a row has the same bits in batches of 1 to 300 rows") {
  std::mt19937 random(6);
  constexpr int64_t kMost = 300;
  Pool pool(1);
  Context context(pool);
  for (const Dtype dtype : dtypes()) {
    for (const int64_t depth : {16, 24, 64, 78, 257, 312, 384, 768, 1000, 1024, 1200, 3072}) {
      for (const int64_t cols : {2, 64, 144}) {
        const Tensor x = random_tensor(random, kMost, depth), w = random_tensor(random, cols, depth);
        const Packed matrix = packed(w, dtype);
        const Tensor whole = product(context, x, 0, matrix.panels);
        Tensor part;
        for (int64_t count = 1; count <= kMost; count += count < 100 ? 1 : 9) {
          const int64_t first = count * 7 % (kMost - count + 1);
          part.reshape(count, depth);
          for (int64_t i = 0; i < count; ++i) std::copy_n(x.row(first + i), depth, part.row(i));
          CHECK_MESSAGE(same_rows(whole, first, product(context, part, 0, matrix.panels)), name_of(dtype),
                        ", ", count, " rows of ", depth, " by ", cols);
        }
      }
    }
  }
}

TEST_CASE("our kernels multiply few rows, with the sums of this version of oneDNN, or any in its place") {
  Pool pool(1);
  Context context(pool);
  const Kernels& kernels = context.kernels();
  const auto has_kernel = [&](Dtype dtype) {
    if (dtype == Dtype::f32) return kernels.multiply_panel != nullptr;
    return (dtype == Dtype::bf16 ? kernels.multiply_panel_bf16 : kernels.multiply_panel_i8) != nullptr;
  };
  for (const Dtype dtype : {Dtype::f32, Dtype::i8})
    CHECK_MESSAGE(has_kernel(dtype) == (usable_isa() >= Isa::avx2), name_of(dtype));
  for (const Dtype dtype : dtypes()) {
    const bool in_tiles = dtype != Dtype::f32 && has_amx(), ours = has_kernel(dtype) && !in_tiles;
    CHECK_MESSAGE(panel_kernel(context, dtype, 32).has_value() == ours, name_of(dtype));
    CHECK_MESSAGE(
        panel_kernel(context, dtype, 300).has_value() == (ours && dtype == Dtype::i8 && !uses_matmul(dtype)),
        name_of(dtype));
  }
}

TEST_CASE("rows with known ranges give the same products as rows without") {
  std::mt19937 random(8);
  Pool pool(2);
  Context context(pool);
  for (const int64_t depth : {5, 64, 130, 1000, 1024}) {
    constexpr int64_t kRows = 37;
    const Packed before = packed(random_tensor(random, depth, 20), Dtype::i8),
                 after = packed(random_tensor(random, 70, depth), Dtype::i8);
    const Tensor x = random_tensor(random, kRows, depth);
    Tensor memory, y(kRows, 70);
    const RangedRows ranged = ranged_rows(memory, kRows, before.panels);
    const int64_t tile = before.panels.width();
    for (int64_t row = 0; row < kRows; ++row) {
      std::ranges::copy(x.values(row), memory.row(row));
      for (int64_t column = 0; column < depth; column += tile)
        *ranged.of(row, column) =
            context.kernels().range_of(std::min(tile, depth - column), x.row(row) + column);
    }
    multiply(context, ranged, {&after.panels, 1}, [&](const Tile& of_y) { put(context.kernels(), of_y, y); });
    CHECK(same_rows(y, 0, product(context, x, 0, after.panels)));
  }
}

TEST_CASE("several products are bitwise equal for any number of threads, and each tile is delivered once") {
  std::mt19937 random(7);
  for (const Dtype dtype : dtypes()) {
    for (const int64_t rows : {1, 17, 300}) {
      constexpr int64_t kDepth = 200;
      const Tensor x = random_tensor(random, rows, kDepth);
      std::vector<Packed> matrices;
      std::vector<Panels> panels;
      for (const int64_t cols : {5, 130, 64}) {
        matrices.push_back(packed(random_tensor(random, cols, kDepth), dtype));
        panels.push_back(matrices.back().panels);
      }
      Pool one(1);
      Context alone(one);
      for (const int threads : {1, 2, 5}) {
        Pool pool(threads);
        Context context(pool);
        std::vector<Tensor> y;
        std::vector<std::vector<int>> given;
        for (const Panels& b : panels) {
          y.emplace_back(rows, b.cols);
          given.emplace_back(static_cast<size_t>(rows * b.cols));
        }
        multiply(context, x, 0, panels, [&](const Tile& tile) {
          put(context.kernels(), tile, y[tile.place]);
          for (int64_t i = 0; i < tile.rows; ++i) {
            const int64_t row = tile.row + i;
            for (int64_t j = tile.column; j < tile.column + tile.columns; ++j) {
              ++given[tile.place][static_cast<size_t>(row * panels[tile.place].cols + j)];
            }
          }
        });
        for (size_t i = 0; i < panels.size(); ++i) {
          CHECK(same_rows(product(alone, x, 0, panels[i]), 0, y[i]));
          CHECK(std::ranges::all_of(given[i], [](int times) { return times == 1; }));
        }
      }
    }
  }
}

TEST_CASE("products that pack what they need are those with packed panels, bit for bit") {
  if (!has_bf16()) return;
  std::mt19937 random(9);
  struct Shape {
    int64_t first, count, cols, depth;
  };
  for (const auto& shape :
       {Shape{0, 1, 5, 3}, Shape{3, 97, 64, 130}, Shape{7, 300, 139, 769}, Shape{0, 40, 700, 1600}}) {
    const auto [first, count, cols, depth] = shape;
    CAPTURE(shape.cols);
    const Tensor x = random_tensor(random, first + count, depth), w = random_tensor(random, cols, depth);
    Pool one(1);
    Context alone(one);
    const Tensor expected = product(alone, x, 0, packed(w, Dtype::bf16).panels);
    for (const auto from : {From::rows, From::columns}) {
      const std::vector<float> numbers = numbers_of(w, from);
      for (const int threads : {1, 2, 7}) {
        Pool pool(threads);
        Context context(pool);
        Tensor y(count, cols);
        multiply_unpacked(context, x, first, count, {.dtype = Dtype::bf16, .depth = depth, .cols = cols},
                          from == From::rows
                              ? Factor{.numbers = numbers.data(), .stride = depth, .order = Order::columns}
                              : Factor{.numbers = numbers.data(), .stride = cols},
                          [&](const Tile& tile) { put(context.kernels(), tile, y); });
        CHECK(same_rows(expected, first, y));
      }
    }
  }
}

TEST_CASE("int8 products propagate NaN and infinity as NaN, and zero rows give zeros") {
  std::mt19937 random(8);
  Pool pool(1);
  Context context(pool);
  Tensor x = random_tensor(random, 3, 80);
  x.row(0)[17] = std::nanf("");
  x.row(1)[79] = std::numeric_limits<float>::infinity();
  std::fill_n(x.row(2), 80, 0.0f);
  Tensor w = random_tensor(random, 70, 80);
  std::fill_n(w.row(5), 80, 0.0f);
  std::fill_n(w.row(6), 80, 1e-42f);
  w.row(7)[3] = std::nanf("");
  w.row(8)[4] = std::numeric_limits<float>::infinity();
  const Tensor y = product(context, x, 0, packed(w, Dtype::i8).panels);
  CHECK(std::isnan(y.row(2)[7]));
  CHECK(std::isnan(y.row(2)[8]));
  for (int64_t j = 0; j < 70; ++j) {
    if (j == 7 || j == 8) continue;
    CHECK(std::isnan(y.row(0)[j]));
    CHECK(std::isnan(y.row(1)[j]));
    CHECK(y.row(2)[j] == 0);
  }
}

TEST_CASE("panels of stored integers are those of the numbers that they stand for") {
  std::mt19937 random(11);
  for (const int64_t depth : {1, 63, 130}) {
    constexpr int64_t kCols = 150;
    const Tensor w = random_tensor(random, kCols, depth);
    Tensor rounded(kCols, depth);
    std::vector<int8_t> integers(kCols * depth);
    std::vector<float> scales;
    for (int64_t n = 0; n < kCols; ++n) {
      scales.push_back(usable_kernels().quantize_column(depth, w.row(n), 127, &integers[n * depth]).scale);
      for (int64_t k = 0; k < depth; ++k)
        rounded.row(n)[k] = static_cast<float>(integers[n * depth + k]) * scales.back();
    }
    const Stored stored = {
        .dtype = Dtype::i8, .data = std::as_bytes(std::span(integers)).data(), .scales = scales.data()};
    for (const Dtype dtype : dtypes()) {
      CAPTURE(depth);
      CAPTURE(name_of(dtype));
      const bool as_before = dtype == Dtype::i8 && has_exact_bytes();
      CHECK(same_panels(packed(stored, kCols, depth, dtype).panels,
                        packed(as_before ? w : rounded, dtype).panels));
    }
  }
}
