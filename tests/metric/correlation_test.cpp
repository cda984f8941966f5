#include "metric/correlation.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/random.h"
#include "reference/slow_metrics.h"

namespace bert::metric {
namespace {

Correlation correlation(const std::vector<double>& x, const std::vector<double>& y) {
  Correlation numbers;
  for (size_t i = 0; i < x.size(); ++i) numbers.add(x[i], y[i]);
  return numbers;
}

double pearson(const std::vector<double>& x, const std::vector<double>& y) {
  return correlation(x, y).pearson();
}
double spearman(const std::vector<double>& x, const std::vector<double>& y) {
  return correlation(x, y).spearman();
}

TEST_CASE("correlations match values computed by hand") {
  CHECK(pearson({1, 2, 3}, {2, 4, 6}) == doctest::Approx(1));
  CHECK(pearson({1, 2, 3}, {6, 4, 2}) == doctest::Approx(-1));
  CHECK(pearson({1, 2, 3, 4}, {1, 3, 2, 4}) == doctest::Approx(0.8));
  CHECK(spearman({1, 2, 3, 4}, {1, 10, 100, 1000}) == doctest::Approx(1));
  // Ranks 1 2.5 2.5 4 against 1 2 3 4: 4.5 / √(4.5 · 5).
  CHECK(spearman({1, 5, 5, 7}, {1, 2, 3, 4}) == doctest::Approx(4.5 / std::sqrt(22.5)));
}

TEST_CASE("a constant or a single pair has no correlation") {
  CHECK(std::isnan(pearson({1, 1, 1}, {1, 2, 3})));
  CHECK(std::isnan(spearman({1, 2, 3}, {0.1, 0.1, 0.1})));
  CHECK(std::isnan(pearson({1}, {2})));
  CHECK(std::isnan(pearson({}, {})));
}

TEST_CASE("a large offset costs no precision") {
  CHECK(pearson({1e8 + 1, 1e8 + 2, 1e8 + 3, 1e8 + 4}, {1, 3, 2, 4}) == doctest::Approx(0.8).epsilon(1e-9));
}

TEST_CASE("correlations match the slow references") {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    Random random(seed, {3});
    const uint32_t size = 3 + random.below(40), values = 2 + random.below(30);
    std::vector<double> x, y;
    for (uint32_t i = 0; i < size; ++i) {
      x.push_back(random.below(values) / 4.0);
      y.push_back(random.below(2) == 0 ? x.back() : random.below(values) / 8.0);
    }
    x[0] = -1, y[0] = -2;  // not constant
    CAPTURE(seed);
    CHECK(pearson(x, y) == doctest::Approx(reference::slow_pearson(x, y)).epsilon(1e-12));
    const double rho = reference::slow_pearson(reference::slow_ranks(x), reference::slow_ranks(y));
    CHECK(spearman(x, y) == doctest::Approx(rho).epsilon(1e-12));
  }
}

}  // namespace
}  // namespace bert::metric
