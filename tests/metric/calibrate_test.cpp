#include "metric/calibrate.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "base/error.h"

namespace bert::metric {
namespace {

// Each with the gold label 0 or 1.
LabelScores scores_of(const std::vector<std::pair<double, uint32_t>>& examples) {
  LabelScores scores;
  for (const auto& [p, gold] : examples) scores.add(std::array{p, 1 - p}, std::array{gold});
  return scores;
}

TEST_CASE("the temperature makes the probability the share of right predictions") {
  // The probability is 0.9, but only three of four are right: 0.75 = sigmoid(s log 9) for s = 1/2.
  const auto scaling = fit_temperature(scores_of({{0.9, 0}, {0.9, 0}, {0.1, 1}, {0.9, 1}}));
  CHECK_FALSE(scaling.label.has_value());
  CHECK(scaling.scale == doctest::Approx(0.5).epsilon(1e-14));
  CHECK(scaling.offset == 0);
  CHECK(scaling.loss == doctest::Approx(-(3 * std::log(0.9) + std::log(0.1)) / 4).epsilon(1e-14));
  CHECK(scaling.scaled_loss == doctest::Approx(-(3 * std::log(0.75) + std::log(0.25)) / 4).epsilon(1e-14));
}

TEST_CASE("a temperature below 1 for scores that are too careful") {
  std::vector<std::pair<double, uint32_t>> examples(99, {0.6, 0});
  examples.push_back({0.6, 1});
  CHECK(fit_temperature(scores_of(examples)).scale ==
        doctest::Approx(std::log(99.0) / std::log(1.5)).epsilon(1e-13));
}

TEST_CASE("scores of 0 and 1 have a temperature") {
  const auto scaling = fit_temperature(scores_of({{1, 0}, {1, 0}, {1, 0}, {1, 1}}));
  CHECK(scaling.scale > 0);
  CHECK(scaling.scaled_loss == doctest::Approx(-(3 * std::log(0.75) + std::log(0.25)) / 4).epsilon(1e-12));
}

TEST_CASE("no temperature is best") {
  CHECK_THROWS_AS(fit_temperature(scores_of({{0.9, 0}, {0.2, 1}})), Error);  // all are right
  CHECK_THROWS_AS(fit_temperature(scores_of({{0.9, 1}, {0.2, 0}})), Error);  // all are wrong
  CHECK_THROWS_AS(fit_temperature(scores_of({{0.5, 1}, {0.5, 0}})), Error);  // all are equal
}

double logit(double p) { return std::log(p / (1 - p)); }

// With two different scores, the sigmoid meets the mean target of each.
TEST_CASE("scale and offset of Platt's sigmoid") {
  std::vector<Curve::Example> examples = {{0.2, true},  {0.2, false}, {0.2, false}, {0.2, false},
                                          {0.8, true},  {0.8, true},  {0.8, true},  {0.8, true},
                                          {0.8, false}, {0.8, false}};
  const auto scaling = fit_sigmoid("a", examples);
  const double low = logit((6.0 / 7 + 3 * 1.0 / 7) / 4), high = logit((4 * 6.0 / 7 + 2 * 1.0 / 7) / 6);
  CHECK(scaling.label == "a");
  CHECK(scaling.scale * logit(0.2) + scaling.offset == doctest::Approx(low).epsilon(1e-12));
  CHECK(scaling.scale * logit(0.8) + scaling.offset == doctest::Approx(high).epsilon(1e-12));
  CHECK(scaling.scaled_loss < scaling.loss);
}

TEST_CASE("Platt's sigmoid of labels that scores separate, or say nothing of") {
  const auto apart = fit_sigmoid("a", std::vector<Curve::Example>{{0.1, false}, {0.9, true}});
  CHECK(apart.scale * logit(0.9) + apart.offset == doctest::Approx(logit(2.0 / 3)).epsilon(1e-10));
  const auto equal = fit_sigmoid("a", std::vector<Curve::Example>{{0.3, false}, {0.3, true}, {0.3, false}});
  CHECK(std::isfinite(equal.scale));
  CHECK(equal.scale * logit(0.3) + equal.offset ==
        doctest::Approx(logit((2.0 / 3 + 2 * 0.25) / 3)).epsilon(1e-6));
}

}  // namespace
}  // namespace bert::metric
