#include "nn/dot.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "base/random.h"

using namespace bert;

TEST_CASE("products and distances of any width are those of higher precision") {
  Random random(1);
  for (size_t width = 0; width < 100; ++width) {
    std::vector<float> a(width), b(width);
    for (auto* numbers : {&a, &b})
      for (float& x : *numbers) x = static_cast<float>(2 * random.uniform() - 1);
    long double product = 0, squares = 0, shifted = 0;
    for (size_t i = 0; i < width; ++i) {
      const long double x = a[i], y = b[i];
      product += x * y;
      squares += (x - y) * (x - y);
      shifted += (x - y - 0.5L) * (x - y - 0.5L);
    }
    const double error = 1e-15 * static_cast<double>(width);
    CHECK(std::abs(nn::dot(a, b.data()) - static_cast<double>(product)) <= error);
    CHECK(std::abs(nn::squared_distance(a, b.data()) - static_cast<double>(squares)) <= error);
    CHECK(std::abs(nn::squared_distance(a, b.data(), 0.5) - static_cast<double>(shifted)) <= 4 * error);
    CHECK(nn::dot(a, b.data()) == nn::dot(b, a.data()));
  }
}
