#include "nn/products.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "nn/tensor.h"

using namespace bert;
using namespace bert::nn;

namespace {

int64_t round_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

// A matrix [rows, cols] in either order, padded to whole blocks. The padding is NaN.
struct Matrix {
  int64_t rows, cols;
  Factor factor;
  std::vector<float> numbers;

  double at(int64_t i, int64_t j) const { return *factor.from(i, j).numbers; }
  float& at(int64_t i, int64_t j) { return const_cast<float&>(*factor.from(i, j).numbers); }
};

Matrix empty_matrix(int64_t rows, int64_t cols, Order order) {
  int64_t stride = round_up(cols + 1, 64) + 3, lines = rows;
  if (order == Order::columns) stride = rows + 3, lines = cols;
  std::vector<float> numbers(static_cast<size_t>((lines + 16) * stride + 16), std::nanf(""));
  Matrix m = {.rows = rows, .cols = cols, .factor = {.stride = stride, .order = order}, .numbers = {}};
  m.numbers = std::move(numbers);
  m.factor.numbers = m.numbers.data();
  return m;
}

template <class Value>
Matrix matrix_of(int64_t rows, int64_t cols, Order order, Value value) {
  Matrix m = empty_matrix(rows, cols, order);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < cols; ++j) m.at(i, j) = static_cast<float>(value(i, j));
  }
  return m;
}

Matrix random_matrix(std::mt19937& random, int64_t rows, int64_t cols, Order order) {
  std::normal_distribution<float> normal;
  return matrix_of(rows, cols, order, [&](int64_t, int64_t) { return normal(random); });
}

Matrix in_order(const Matrix& m, Order order) {
  return matrix_of(m.rows, m.cols, order, [&](int64_t i, int64_t j) { return m.at(i, j); });
}

Product product_of(const Matrix& a, const Matrix& b, Matrix& c, Into into = Into::replace) {
  return {.rows = a.rows,
          .cols = b.cols,
          .depth = a.cols,
          .a = a.factor,
          .b = b.factor,
          .c = c.numbers.data(),
          .c_stride = c.factor.stride,
          .into = into};
}

constexpr Order kOrders[] = {Order::rows, Order::columns};

bool same_rows(const Matrix& expected, int64_t first, const Matrix& actual) {
  for (int64_t i = 0; i < actual.rows; ++i) {
    if (std::memcmp(expected.factor.from(first + i, 0).numbers, actual.factor.from(i, 0).numbers,
                    static_cast<size_t>(actual.cols) * sizeof(float)) != 0)
      return false;
  }
  return true;
}

// Relative error of every 37th row against double precision.
double relative_error(const Tensor& x, const Matrix& w, const Matrix& y) {
  double difference = 0, norm = 0;
  for (int64_t i = 0; i < y.rows; i += 37) {
    for (int64_t j = 0; j < y.cols; ++j) {
      double expected = 0;
      for (int64_t k = 0; k < w.rows; ++k) expected += static_cast<double>(x.row(i)[k]) * w.at(k, j);
      difference += (expected - y.at(i, j)) * (expected - y.at(i, j));
      norm += expected * expected;
    }
  }
  return std::sqrt(difference / norm);
}

}  // namespace

TEST_CASE("a product matches double precision for any shape and order of its factors") {
  std::mt19937 random(5);
  Pool pool(1);
  Context context(pool);
  struct Shape {
    int64_t rows, cols, depth;
  };
  for (const Shape& shape : {Shape{1, 1, 1},
                             {3, 24, 40},
                             {97, 96, 64},
                             {200, 130, 78},
                             {50, 64, 384},
                             {193, 257, 385},
                             {8, 768, 1200},
                             {12, 16, 3072},
                             {5, 2, 768}}) {
    const int64_t rows = shape.rows, cols = shape.cols, depth = shape.depth;
    for (const Order left : kOrders) {
      for (const Order right : kOrders) {
        if (left == Order::columns && right == Order::columns) continue;
        for (const Into into : {Into::replace, Into::add}) {
          const Matrix a = random_matrix(random, rows, depth, left),
                       b = random_matrix(random, depth, cols, right),
                       before = random_matrix(random, rows, cols, Order::rows);
          Matrix c = in_order(before, Order::rows);
          std::vector<float> sums(static_cast<size_t>(rows), 1.0f);
          Product product = product_of(a, b, c, into);
          if (left == Order::columns) product.row_sums = sums.data();
          multiply(context, product);
          double difference = 0, norm = 0, worst_sum = 0;
          for (int64_t i = 0; i < rows; ++i) {
            double sum = 1;
            for (int64_t k = 0; k < depth; ++k) sum += a.at(i, k);
            worst_sum =
                std::max(worst_sum, std::abs(sum - static_cast<double>(sums[static_cast<size_t>(i)])));
            for (int64_t j = 0; j < cols; ++j) {
              double expected = into == Into::add ? before.at(i, j) : 0;
              for (int64_t k = 0; k < depth; ++k) expected += a.at(i, k) * b.at(k, j);
              difference += (expected - c.at(i, j)) * (expected - c.at(i, j));
              norm += expected * expected;
            }
            CHECK(std::isnan(c.at(i, cols)));  // the padding after a row is not written
          }
          CAPTURE(rows);
          CAPTURE(cols);
          CAPTURE(depth);
          CHECK(std::sqrt(difference / norm) < 6e-7);
          if (left == Order::columns) CHECK(worst_sum < 1e-5 * std::sqrt(static_cast<double>(depth)));
        }
      }
    }
  }
}

TEST_CASE("a row has the same bits in batches of 1 to 200 rows and matches double precision") {
  std::mt19937 random(6);
  std::normal_distribution<float> normal;
  constexpr int64_t kMost = 200;
  for (const int64_t depth : {16, 24, 64, 78, 312, 384, 768, 1200, 3072}) {
    Tensor x(kMost, depth), part;
    for (int64_t i = 0; i < kMost * x.stride(); ++i) x.row(0)[i] = normal(random);
    for (const int64_t cols : {2, 16, 64, 120, 144}) {
      const Matrix w = random_matrix(random, depth, cols, Order::columns);
      for (const Order order : kOrders) {
        const Matrix factor = in_order(w, order);
        const auto multiply_rows = [&](const Tensor& rows) {
          Matrix y = empty_matrix(rows.rows(), cols, Order::rows);
          multiply(usable_kernels(), {.rows = rows.rows(),
                                      .cols = cols,
                                      .depth = depth,
                                      .a = {.numbers = rows.row(0), .stride = rows.stride()},
                                      .b = factor.factor,
                                      .c = y.numbers.data(),
                                      .c_stride = y.factor.stride,
                                      .room = true});
          return y;
        };
        const Matrix whole = multiply_rows(x);
        CHECK(relative_error(x, w, whole) < 6e-7);
        for (int64_t count = 1; count <= kMost; ++count) {
          const int64_t first = count * 7 % (kMost - count + 1);
          part.reshape(count, depth);
          for (int64_t i = 0; i < count; ++i) std::copy_n(x.row(first + i), depth, part.row(i));
          CHECK_MESSAGE(same_rows(whole, first, multiply_rows(part)), count, " rows of ", depth, " by ", cols,
                        ", order ", static_cast<int>(order));
        }
      }
    }
  }
}

TEST_CASE("a product is bitwise equal for any number of threads, and each tile is finished once") {
  std::mt19937 random(7);
  struct Shape {
    int64_t rows, cols, depth;
  };
  for (const Shape& shape :
       {Shape{1, 1, 1}, {30, 130, 50}, {500, 312, 400}, {1024, 112, 200}, {77, 1024, 768}}) {
    const int64_t rows = shape.rows, cols = shape.cols, depth = shape.depth;
    for (const Order left : kOrders) {
      for (const Order right : kOrders) {
        if (left == Order::columns && right == Order::columns) continue;
        const Matrix a = random_matrix(random, rows, depth, left),
                     b = random_matrix(random, depth, cols, right);
        Matrix whole = empty_matrix(rows, cols, Order::rows);
        Pool one(1);
        Context alone(one);
        Product product = product_of(a, b, whole);
        product.room = left == Order::rows;
        multiply(alone, product);
        for (const int threads : {2, 3, 16}) {
          Pool pool(threads);
          Context context(pool);
          Matrix c = empty_matrix(rows, cols, Order::rows), finished = empty_matrix(rows, cols, Order::rows);
          for (float& number : finished.numbers) number = 0;
          product.c = c.numbers.data();
          multiply(context, product, [&](const Tile& tile) {
            for (int64_t i = tile.row; i < tile.row + tile.rows; ++i) {
              for (int64_t j = tile.column; j < tile.column + tile.columns; ++j) ++finished.at(i, j);
            }
          });
          CHECK_MESSAGE(same_rows(whole, 0, c), rows, " by ", cols, ", ", threads, " threads, orders ",
                        static_cast<int>(left), static_cast<int>(right));
          bool once = true;
          for (int64_t i = 0; i < rows; ++i) {
            for (int64_t j = 0; j < cols; ++j) once = once && finished.at(i, j) == 1;
          }
          CHECK(once);
        }
      }
    }
  }
}
