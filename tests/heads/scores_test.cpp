#include "heads/scores.h"

#include <doctest/doctest.h>

#include <random>

#include "../reference/slow_pooling.h"
#include "base/error.h"

using bert::heads::top_k;

namespace {

std::vector<float> random_logits(std::mt19937& random, size_t count) {
  std::vector<float> logits(count);
  // Few distinct values, so that equal logits are common.
  for (float& x : logits) x = static_cast<float>(static_cast<int>(random() % 61) - 30) / 4;
  return logits;
}

}  // namespace

TEST_CASE("softmax equals its formula") {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    const auto logits = random_logits(random, 1 + random() % 50);
    const auto found = bert::heads::softmax(logits);
    const auto expected = bert::reference::softmax(logits);
    for (size_t i = 0; i < logits.size(); ++i)
      REQUIRE(found[i] == doctest::Approx(expected[i]).epsilon(1e-6));
  }
}

TEST_CASE("softmax is correct for logits whose exponentials overflow a float") {
  const auto scores = bert::heads::softmax(std::vector<float>{1000, 999, -1000});
  CHECK(scores[0] == doctest::Approx(0.7310586));
  CHECK(scores[1] == doctest::Approx(0.2689414));
  CHECK(scores[2] == 0);
}

TEST_CASE("top_k equals the head of a full sort; ties go to the lower id") {
  std::mt19937 random(2);
  for (int round = 0; round < 3000; ++round) {
    const auto logits = random_logits(random, 1 + random() % 300);
    const size_t choices = random() % 3 ? logits.size() : random() % (logits.size() + 1);
    const size_t k = random() % 12;
    const auto found = top_k(logits, static_cast<int64_t>(k), static_cast<int64_t>(choices));
    const auto expected = bert::reference::ranking(logits, choices);
    REQUIRE(found.size() == std::min(k, choices));
    for (size_t i = 0; i < found.size(); ++i) {
      REQUIRE(found[i].id == expected[i].second);
      REQUIRE(found[i].score == doctest::Approx(expected[i].first).epsilon(1e-6));
    }
  }
}

TEST_CASE("the best of equal logits has the lowest id") {
  CHECK(bert::heads::best(std::vector<float>{1, 3, 3, 2}) == 1);
  CHECK(bert::heads::best(std::vector<float>{5}) == 0);
}

TEST_CASE("sigmoid is stable for large positive and negative inputs") {
  CHECK(bert::heads::sigmoid(0) == 0.5f);
  CHECK(bert::heads::sigmoid(200) == 1.0f);
  CHECK(bert::heads::sigmoid(-200) == 0.0f);
  CHECK(bert::heads::sigmoid(1) == doctest::Approx(0.7310586));
}

TEST_CASE("a logit that is not finite is an error that names its index") {
  CHECK_THROWS_WITH_AS(bert::heads::softmax(std::vector<float>{1, INFINITY}),
                       "logit 1 is inf, expected a finite number", bert::Error);
  CHECK_THROWS_AS(top_k(std::vector<float>{std::nanf(""), 1}, 1, 2), bert::Error);
}

TEST_CASE("log probability is the logarithm of softmax, even where softmax underflows") {
  const std::vector<float> logits = {1, -2, 3.5f, 0};
  const auto probabilities = bert::heads::softmax(logits);
  for (int32_t id = 0; id < 4; ++id) {
    CHECK(
        bert::heads::log_probability(logits, id) ==
        doctest::Approx(std::log(static_cast<double>(probabilities[static_cast<size_t>(id)]))).epsilon(1e-6));
  }
  CHECK(bert::heads::log_probability(std::vector<float>{0, -5000}, 1) == -5000);
  CHECK_THROWS_AS(bert::heads::log_probability(std::vector<float>{0, NAN}, 0), bert::Error);
}
