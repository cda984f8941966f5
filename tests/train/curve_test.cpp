#include "train/curve.h"

#include <doctest/doctest.h>

#include <cmath>

using bert::train::Curve;
using bert::train::Point;
using bert::train::Series;

TEST_CASE("a short curve keeps its values, by name") {
  Curve curve;
  curve.add("loss", 10, 7.5);
  curve.add("dev_loss", 10, 8);
  curve.add("loss", 20, 6.5);
  REQUIRE(curve.series.size() == 2);
  CHECK(curve.series[0].name == "loss");
  CHECK(curve.series[0].all() == std::vector<Point>{{10, 7.5}, {20, 6.5}});
  CHECK(curve.series[1].all() == std::vector<Point>{{10, 8}});
}

TEST_CASE("a long curve is averaged into a bounded number of points over all of its values") {
  Series series;
  constexpr int kValues = 1'000'003;
  for (int step = 1; step <= kValues; ++step) series.add(step, 3 + 2.0 / kValues * step);
  CHECK(series.points.size() < Series::kMaxPoints);
  CHECK(series.points.size() >= Series::kMaxPoints / 2 - 1);
  double previous = 0, weight = 0, sum = 0;
  for (const auto& point : series.all()) {
    CHECK(point.step > previous);
    CHECK(std::abs(point.value - (3 + 2.0 / kValues * point.step)) < 1e-9);
    previous = point.step;
  }
  for (const auto& point : series.points) {
    weight += static_cast<double>(series.stride);
    sum += point.value * static_cast<double>(series.stride);
  }
  weight += static_cast<double>(series.count);
  sum += series.sum.value;
  CHECK(weight == kValues);
  CHECK(std::abs(sum / weight - (3 + 1.0 / kValues * (kValues + 1))) < 1e-9);
}
