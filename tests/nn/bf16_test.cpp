// Products of bf16 against double precision of the same factors rounded by base/dtype.h.
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

#include "base/dtype.h"
#include "nn/kernels.h"

using namespace bert;
using namespace bert::nn;

namespace {

struct Matrix {
  int64_t rows, cols, stride;
  std::vector<float> numbers;

  float at(int64_t i, int64_t j) const { return numbers[static_cast<size_t>(i * stride + j)]; }
};

// Of normal numbers, with room behind each row that must not matter.
Matrix random_matrix(std::mt19937& random, int64_t rows, int64_t cols) {
  std::normal_distribution<float> normal;
  const int64_t stride = cols + 3;
  Matrix m = {.rows = rows, .cols = cols, .stride = stride};
  m.numbers.assign(static_cast<size_t>(rows * stride + 64), std::nanf(""));
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < cols; ++j) m.numbers[static_cast<size_t>(i * stride + j)] = normal(random);
  }
  return m;
}

double rounded(float number) {
  std::byte bytes[2];
  from_f32({&number, 1}, Dtype::bf16, bytes);
  float back = 0;
  to_f32(Dtype::bf16, bytes, {&back, 1});
  return back;
}

// Whether `came` is the sum of left(k)·right(k), of so many terms of about 1.
template <class LeftTerm, class RightTerm>
bool is_product(float came, int64_t depth, LeftTerm left, RightTerm right, double before = 0) {
  double sum = before;
  for (int64_t k = 0; k < depth; ++k) sum += rounded(left(k)) * rounded(right(k));
  return std::abs(came - sum) <= 3e-6 * std::sqrt(static_cast<double>(depth)) + 1e-6 * std::abs(sum);
}

// How many places of [rows, cols] are not right.
template <class IsRight>
int64_t wrong_ones(int64_t rows, int64_t cols, IsRight is_right) {
  int64_t wrong = 0;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < cols; ++j) wrong += !is_right(i, j);
  }
  return wrong;
}

bool skipped() {
  if (has_bf16()) return false;
  MESSAGE("skipped: this processor does not multiply bf16");
  return true;
}

constexpr int64_t kDepths[] = {1, 2, 15, 16, 31, 52, 96, 97, 193, 256, 311};

}  // namespace

TEST_CASE("a panel of rows or of columns and its product are those of rounded numbers") {
  if (skipped()) return;
  const Kernels table = kernels_bf16::table();
  std::mt19937 random(1);
  for (const int64_t depth : kDepths) {
    constexpr int64_t kRows = 101, kOutputs = 61;
    const Matrix x = random_matrix(random, kRows, depth), w = random_matrix(random, kOutputs, depth),
                 v = random_matrix(random, depth, kOutputs);
    const auto size = static_cast<size_t>((depth + 15) / 16 * 16 * kPanelWidth);
    std::vector<float> by_rows(size), by_columns(size), tiles(2 * kRows * kPanelWidth);
    table.pack_panel(w.numbers.data(), w.stride, kOutputs, depth, by_rows.data());
    for (int64_t row = 0; row < depth; row += 16) {
      table.pack_rows(&v.numbers[static_cast<size_t>(row * v.stride)], v.stride, row,
                      std::min<int64_t>(16, depth - row), kOutputs, by_columns.data());
    }
    const float* const panels[] = {by_rows.data(), by_columns.data()};
    table.panel_products(kRows, depth, x.numbers.data(), x.stride, 2, panels, tiles.data());
    const auto wrong = wrong_ones(kRows, kOutputs, [&](int64_t i, int64_t j) {
      const auto tile = [&](int64_t p) {
        return tiles[static_cast<size_t>((p * kRows + i) * kPanelWidth + j)];
      };
      const auto left = [&](int64_t k) { return x.at(i, k); };
      return is_product(tile(0), depth, left, [&](int64_t k) { return w.at(j, k); }) &&
             is_product(tile(1), depth, left, [&](int64_t k) { return v.at(k, j); });
    });
    CHECK_MESSAGE(wrong == 0, "depth ", depth);
  }
}

TEST_CASE("a product with a matrix as it lies is that of rounded numbers") {
  if (skipped()) return;
  const Kernels table = kernels_bf16::table();
  std::mt19937 random(2);
  for (const int64_t depth : kDepths) {
    constexpr int64_t kRows = 107, kCols = 150;
    const Matrix x = random_matrix(random, kRows, depth), w = random_matrix(random, depth, kCols);
    Matrix y = random_matrix(random, kRows, kCols);
    std::vector<float> scratch(static_cast<size_t>(gradient_scratch(kCols)));
    table.strided_products(kRows, depth, x.numbers.data(), x.stride, kCols, w.numbers.data(), w.stride,
                           y.numbers.data(), y.stride, scratch.data());
    const auto wrong = wrong_ones(kRows, kCols, [&](int64_t i, int64_t j) {
      return is_product(
          y.at(i, j), depth, [&](int64_t k) { return x.at(i, k); }, [&](int64_t k) { return w.at(k, j); });
    });
    CHECK_MESSAGE(wrong == 0, "depth ", depth);
  }
}

TEST_CASE("a gradient is that of rounded numbers, replaced or added to; that of the bias is not rounded") {
  if (skipped()) return;
  const Kernels table = kernels_bf16::table();
  std::mt19937 random(3);
  for (const int64_t depth : kDepths) {
    for (const Into into : {Into::replace, Into::add}) {
      constexpr int64_t kRows = 110, kCols = 139;
      const Matrix dy = random_matrix(random, depth, kRows), x = random_matrix(random, depth, kCols),
                   before = random_matrix(random, kRows, kCols);
      Matrix dw = before;
      std::vector<float> db(kRows, 2), scratch(static_cast<size_t>(gradient_scratch(kCols)));
      table.gradient_products({.depth = depth,
                               .rows = kRows,
                               .cols = kCols,
                               .dy = dy.numbers.data(),
                               .dy_stride = dy.stride,
                               .x = x.numbers.data(),
                               .x_stride = x.stride,
                               .dw = dw.numbers.data(),
                               .dw_stride = dw.stride,
                               .into = into,
                               .db = db.data()},
                              scratch.data());
      auto wrong = wrong_ones(kRows, kCols, [&](int64_t i, int64_t j) {
        return is_product(
            dw.at(i, j), depth, [&](int64_t k) { return dy.at(k, i); }, [&](int64_t k) { return x.at(k, j); },
            into == Into::add ? static_cast<double>(before.at(i, j)) : 0);
      });
      wrong += wrong_ones(kRows, 1, [&](int64_t i, int64_t) {
        double sum = 2;
        for (int64_t k = 0; k < depth; ++k) sum += static_cast<double>(dy.at(k, i));
        return std::abs(db[static_cast<size_t>(i)] - sum) < 1e-5 * std::sqrt(static_cast<double>(depth)) &&
               std::isnan(dw.at(i, kCols));  // what lies behind the row is not touched
      });
      CHECK_MESSAGE(wrong == 0, "depth ", depth);
    }
  }
}
