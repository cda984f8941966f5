#include "nn/context.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "nn/encoder_layer.h"

using namespace bert;
using namespace bert::nn;

TEST_CASE("contexts with different kernels do not affect each other") {
  Pool pool(2);
  Kernels doubling = usable_kernels();
  doubling.add = [](int64_t n, const float* x, float* y) {
    for (int64_t i = 0; i < n; ++i) y[i] += 2 * x[i];
  };
  Context usual(pool), doubled(pool, doubling);
  Tensor x(1, 3), y(2, 3);
  std::fill_n(x.row(0), 3, 1.0f);
  std::fill_n(y.row(0), 2 * y.stride(), 0.0f);
  const int64_t first[] = {0}, second[] = {1};
  add_rows(doubled, x, first, y);
  add_rows(usual, x, second, y);
  for (int64_t i = 0; i < 3; ++i) {
    CHECK(y.row(0)[i] == 2);
    CHECK(y.row(1)[i] == 1);
  }
}
