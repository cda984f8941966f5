#include "train/schedule.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using bert::train::Decay;
using bert::train::kDecays;
using bert::train::Schedule;

namespace {

doctest::Approx about(double x) { return doctest::Approx(x).epsilon(1e-13).scale(0.1); }

// Rates at steps 0, W-1, W, N-1 and N.
std::vector<double> corners(const Schedule& schedule, int64_t W, int64_t N) {
  return {schedule.rate(0), schedule.rate(W - 1), schedule.rate(W), schedule.rate(N - 1), schedule.rate(N)};
}

void check_all(const std::vector<double>& rates, const std::vector<double>& expected) {
  REQUIRE(rates.size() == expected.size());
  for (size_t i = 0; i < rates.size(); ++i) CHECK_MESSAGE(rates[i] == about(expected[i]), "number ", i);
}

}  // namespace

TEST_CASE("schedules have the right rates at their corners, with 10 of 100 steps of warmup") {
  const auto rates = [](Decay decay) {
    return corners(Schedule({.decay = decay, .peak = 2, .warmup = {.steps = 10}}, 100), 10, 100);
  };
  check_all(rates(Decay::linear), {0, 1.8, 2, 2.0 / 90, 0});
  check_all(rates(Decay::cosine), {0, 1.8, 2, 1 + std::cos(M_PI * 89 / 90), 0});
  check_all(rates(Decay::constant), {0, 1.8, 2, 2, 2});
  check_all(rates(Decay::google), {0, 1.8, 1.8, 0.02, 0});  // 2·(1 - 10/100): the rate drops after warmup
}

TEST_CASE("Google's schedule matches its code at every step") {
  constexpr int64_t N = 237, W = 23;
  const Schedule schedule({.decay = Decay::google, .peak = 1e-4, .warmup = {.share = 0.1}}, N);
  for (int64_t s = 0; s <= N + 5; ++s) {
    const double expected =
        s < W ? 1e-4 * static_cast<double>(s) / W : 1e-4 * (1 - static_cast<double>(std::min(s, N)) / N);
    CHECK_MESSAGE(schedule.rate(s) == doctest::Approx(expected).epsilon(1e-13).scale(1e-5), "step ", s);
  }
}

TEST_CASE("linear decay has equal steps after warmup; cosine decay is halfway down at half time") {
  const Schedule linear({.peak = 1, .warmup = {.steps = 30}}, 130);
  for (int64_t s = 30; s <= 130; ++s) CHECK(linear.rate(s) == about(static_cast<double>(130 - s) / 100));
  const Schedule cosine({.decay = Decay::cosine, .peak = 1, .warmup = {.steps = 30}}, 130);
  CHECK(cosine.rate(80) == about(0.5));
  CHECK(cosine.rate(55) == about((1 + std::cos(M_PI / 4)) / 2));
}

TEST_CASE("without warmup step 0 has the peak rate") {
  for (const auto& [name, decay] : kDecays) {
    CHECK(Schedule({.decay = decay, .peak = 3}, 10).rate(0) == 3);
    CHECK(Schedule({.decay = decay, .peak = 3}).rate(0, 0) == 3);
  }
}

TEST_CASE("a warmup share is rounded down to whole steps if the number of steps is known") {
  for (const auto& [name, decay] : kDecays) {
    const Schedule share({.decay = decay, .peak = 1, .warmup = {.share = 0.3}}, 25);
    const Schedule steps({.decay = decay, .peak = 1, .warmup = {.steps = 7}}, 25);
    for (int64_t s = 0; s <= 25; ++s) CHECK(share.rate(s) == steps.rate(s));
  }
}

TEST_CASE("a run limited by time has the same rates as one limited by steps at equal progress") {
  constexpr int64_t N = 1000;
  for (const auto& [name, decay] : kDecays) {
    const Schedule steps({.decay = decay, .peak = 1, .warmup = {.steps = 100}}, N);
    const Schedule time({.decay = decay, .peak = 1, .warmup = {.share = 0.1}});
    for (int64_t s = 0; s <= N; ++s) {
      const double progress = static_cast<double>(s) / N;
      CHECK(time.rate(7 * s, progress) == about(steps.rate(s)));  // the step number is ignored
    }
  }
}

TEST_CASE("the rate is zero at the end of the time budget and after it") {
  for (const Decay decay : {Decay::linear, Decay::cosine, Decay::google}) {
    for (const double progress : {1.0, 1.5}) {
      CHECK(Schedule({.decay = decay, .warmup = {.share = 0.1}}).rate(500, progress) == 0);
      CHECK(Schedule({.decay = decay, .warmup = {.steps = 100}}).rate(500, progress) == 0);
      CHECK(Schedule({.decay = decay, .warmup = {.steps = 1000}}).rate(500, progress) == 0);
    }
  }
}

TEST_CASE("warmup in steps multiplies the decay in a run limited by time") {
  const Schedule linear({.peak = 1, .warmup = {.steps = 100}});
  CHECK(linear.rate(0, 0.0) == 0);
  CHECK(linear.rate(50, 0.1) == about(0.5 * 0.9));
  CHECK(linear.rate(100, 0.2) == about(0.8));
  CHECK(linear.rate(700, 0.75) == about(0.25));
  const Schedule google({.decay = Decay::google, .peak = 1, .warmup = {.steps = 100}});
  CHECK(google.rate(50, 0.1) == about(0.5));
  CHECK(google.rate(100, 0.2) == about(0.8));
}

TEST_CASE("warmup may last for the whole run or longer") {
  for (const auto& [name, decay] : kDecays) {
    const Schedule whole({.decay = decay, .peak = 1, .warmup = {.share = 1}}, 10);
    const Schedule longer({.decay = decay, .peak = 1, .warmup = {.steps = 20}}, 10);
    for (int64_t s = 0; s < 10; ++s) {
      CHECK(whole.rate(s) == about(static_cast<double>(s) / 10));
      CHECK(longer.rate(s) == about(static_cast<double>(s) / 20));
    }
    if (decay != Decay::constant) CHECK(longer.rate(10) == 0);
  }
}
