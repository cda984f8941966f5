#include "metric/resampling.h"

#include <doctest/doctest.h>

#include <vector>

namespace bert::metric {
namespace {

// p-values by scipy.stats.binomtest(k, n).pvalue of SciPy 1.17.
TEST_CASE("the exact test of McNemar") {
  CHECK(mcnemar_p(0, 0) == 1);
  CHECK(mcnemar_p(1, 0) == 1);
  CHECK(mcnemar_p(7, 7) == 1);
  CHECK(mcnemar_p(0, 5) == doctest::Approx(0.0625).epsilon(1e-12));
  CHECK(mcnemar_p(3, 11) == doctest::Approx(0.057373046875).epsilon(1e-12));
  CHECK(mcnemar_p(11, 3) == mcnemar_p(3, 11));
  CHECK(mcnemar_p(40, 60) == doctest::Approx(0.056887933640980784).epsilon(1e-12));
  CHECK(mcnemar_p(499, 601) == doctest::Approx(0.0023100006040699074).epsilon(1e-11));
  CHECK(mcnemar_p(499000, 501000) == doctest::Approx(0.0456082998653896).epsilon(1e-9));
  CHECK(mcnemar_p(0, 5000) == 0);
}

TEST_CASE("percentiles are interpolated as by NumPy") {
  const std::vector<double> values = {1, 2, 4, 8};
  CHECK(percentile(values, 0) == 1);
  CHECK(percentile(values, 0.5) == 3);
  CHECK(percentile(values, 0.975) == doctest::Approx(7.7));
  CHECK(percentile(values, 1) == 8);
  CHECK(percentile(std::vector<double>{3}, 0.3) == 3);
}

}  // namespace
}  // namespace bert::metric
