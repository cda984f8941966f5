#include <doctest/doctest.h>

#include <cmath>

#include "metric/classification.h"

namespace bert::metric {
namespace {

TEST_CASE("a bin includes its upper bound, as in Guo et al. 2017") {
  Calibration calibration;
  for (const double confidence : {0.0, 0.1, 0.10001, 0.5, 0.51, 1.0}) calibration.add(confidence, true);
  CHECK(calibration.bins()[0].count == 2);
  CHECK(calibration.bins()[1].count == 1);
  CHECK(calibration.bins()[4].count == 1);
  CHECK(calibration.bins()[5].count == 1);
  CHECK(calibration.bins()[9].count == 1);
}

TEST_CASE("the calibration error is the mean gap between accuracy and confidence, weighted by bin sizes") {
  Calibration calibration;
  for (int i = 0; i < 10; ++i) calibration.add(0.75, i < 5);   // accuracy 0.5: a gap of 0.25
  for (int i = 0; i < 30; ++i) calibration.add(0.95, i < 27);  // accuracy 0.9: a gap of 0.05
  CHECK(calibration.error() == doctest::Approx((10 * 0.25 + 30 * 0.05) / 40));
  Calibration perfect;
  perfect.add(1, true);
  perfect.add(0, false);
  CHECK(perfect.error() == 0);
  CHECK(std::isnan(Calibration().error()));
}

}  // namespace
}  // namespace bert::metric
