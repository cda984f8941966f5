#include "nn/first_rows.h"

#include <doctest/doctest.h>

#include <vector>

#include "base/pool.h"

using namespace bert;
using namespace bert::nn;

namespace {

constexpr int64_t kRows = 6, kColumns = 19;
const std::vector<int64_t> kOffsets = {0, 3, 3, 4, 6};  // the second sequence has no rows

Tensor numbers(int64_t factor) {
  Tensor x(kRows, kColumns);
  for (int64_t row = 0; row < kRows; ++row)
    for (int64_t i = 0; i < kColumns; ++i)
      x.row(row)[i] = static_cast<float>((row + 1) * (i + factor) % 13 - 6);
  return x;
}

int64_t first_of(int64_t row) { return row < 3 ? 0 : row < 4 ? 3 : 4; }

double dot(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (int64_t row = 0; row < kRows; ++row)
    for (int64_t i = 0; i < kColumns; ++i) sum += double{a.row(row)[i]} * b.row(row)[i];
  return sum;
}

}  // namespace

TEST_CASE("the first row of a sequence is added to each of its rows, itself included") {
  Pool pool(2);
  Context context(pool);
  const Tensor x = numbers(3);
  Tensor y = numbers(3);
  add_first_rows(context, kOffsets, y);
  for (int64_t row = 0; row < kRows; ++row)
    for (int64_t i = 0; i < kColumns; ++i) CHECK(y.row(row)[i] == x.row(row)[i] + x.row(first_of(row))[i]);
}

// <dy, y(x)> = <dx(dy), x>, since y is linear in x; all numbers are small integers.
TEST_CASE("the gradient of added first rows is that of the transposed map") {
  Pool pool(2);
  Context context(pool);
  for (int64_t factor = 1; factor < 6; ++factor) {
    const Tensor x = numbers(factor), dy = numbers(factor + 5);
    Tensor y = numbers(factor), dx = numbers(factor + 5);
    add_first_rows(context, kOffsets, y);
    add_first_rows_backward(context, kOffsets, dx);
    CHECK(dot(dy, y) == dot(dx, x));
    for (const int64_t row : {1, 2, 5}) CHECK(dx.row(row)[4] == dy.row(row)[4]);
  }
}
