#include "metric/curves.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/random.h"
#include "metric/label_scores.h"

namespace bert::metric {
namespace {

using Examples = std::vector<Curve::Example>;

// The example of scikit-learn's roc_auc_score and average_precision_score, with one tie more.
const Examples kExamples = {{0.1, false}, {0.4, false}, {0.35, true}, {0.8, true}, {0.35, false}};

TEST_CASE("a curve has a step for each different score") {
  const Curve curve(kExamples);
  REQUIRE(curve.steps().size() == 4);
  CHECK(curve.steps()[2].threshold == 0.35);
  CHECK(curve.steps()[2].counts.predicted == 4);
  CHECK(curve.steps()[2].counts.both == 2);
  CHECK(curve.positives() == 2);
  CHECK(curve.negatives() == 3);
}

TEST_CASE("areas under curves, as scikit-learn has them") {
  CHECK(Curve(kExamples).roc_auc() == doctest::Approx(0.75));
  CHECK(Curve(kExamples).average_precision() == doctest::Approx(0.75));
  CHECK(std::isnan(Curve({{0.5, true}}).roc_auc()));
  CHECK(std::isnan(Curve({}).roc_auc()));
  CHECK(Curve({{0.5, true}}).average_precision() == 1);
  CHECK(std::isnan(Curve({{0.5, false}}).average_precision()));
}

// The area is the share of pairs that are in the right order; equal scores count half.
TEST_CASE("the area under the ROC curve is the share of ordered pairs") {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    Examples examples(2 + random.below(30));
    for (auto& [score, positive] : examples) score = random.below(8), positive = random.bernoulli(0.4);
    double ordered = 0, pairs = 0;
    for (const auto& a : examples) {
      for (const auto& b : examples) {
        if (!a.positive || b.positive) continue;
        ++pairs;
        ordered += a.score > b.score ? 1 : a.score == b.score ? 0.5 : 0;
      }
    }
    if (pairs > 0) CHECK(Curve(examples).roc_auc() == doctest::Approx(ordered / pairs).epsilon(1e-12));
  }
}

TEST_CASE("thresholds for a goal") {
  using Kind = ThresholdGoal::Kind;
  const Curve curve(kExamples);
  CHECK(choose_threshold(curve, {})->threshold == 0.35);
  CHECK(choose_threshold(curve, {Kind::precision, 0.6})->threshold == 0.8);
  CHECK(choose_threshold(curve, {Kind::precision, 0.5})->threshold == 0.35);
  CHECK(choose_threshold(curve, {Kind::recall, 0.5})->threshold == 0.8);
  CHECK(choose_threshold(curve, {Kind::recall, 0.9})->threshold == 0.35);
  CHECK(choose_threshold(Curve({{0.5, false}}), {Kind::precision, 0.1}) == nullptr);
  // Equal F1: the lower threshold.
  CHECK(choose_threshold(Curve({{4, true}, {3, false}, {2, true}, {1, false}, {0, false}}), {})->threshold ==
        2);
}

TEST_CASE("losses of probabilities, as scikit-learn has them") {
  ProbabilityLosses two, three;
  CHECK(two.add(std::vector{0.25, 0.75}, 1));
  CHECK(two.add(std::vector{0.0, 1.0}, 0));
  CHECK(!two.add(std::vector{-1.0, 2.0}, 0));
  CHECK(two.count() == 2);
  CHECK(two.brier() == doctest::Approx(0.53125));
  CHECK(two.log_loss() == doctest::Approx(18.16551));
  CHECK(three.add(std::vector{0.5, 0.25, 0.25}, 0));
  CHECK(three.brier() == doctest::Approx(0.375));
}

}  // namespace
}  // namespace bert::metric
