#include "heads/pooling.h"

#include <doctest/doctest.h>

#include <random>

#include "../reference/slow_pooling.h"

using bert::heads::PoolingMode;
using bert::heads::SequencePooling;
using bert::reference::Rows;

namespace {

constexpr PoolingMode kModes[] = {PoolingMode::cls,           PoolingMode::max,           PoolingMode::mean,
                                  PoolingMode::mean_sqrt_len, PoolingMode::weighted_mean, PoolingMode::last};

Rows random_rows(std::mt19937& random, size_t tokens, size_t width) {
  std::normal_distribution<float> normal(0.1f, 1);
  Rows rows(tokens, std::vector<float>(width));
  for (auto& row : rows)
    for (float& x : row) x = normal(random);
  return rows;
}

std::vector<float> pool(SequencePooling& pooling, const Rows& rows, int64_t left_out) {
  pooling.start(left_out);
  for (const auto& row : rows) pooling.add(row);
  std::vector<float> pooled(static_cast<size_t>(pooling.width()));
  pooling.finish(pooled);
  return pooled;
}

}  // namespace

TEST_CASE("every mode matches its formula, alone and combined with others") {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    const size_t tokens = 1 + random() % 40, width = 1 + random() % 20, left_out = random() % 5;
    std::vector<PoolingMode> modes;
    for (const auto mode : kModes)
      if (random() % 2) modes.push_back(mode);
    if (modes.empty()) modes.push_back(kModes[random() % 6]);
    const Rows rows = random_rows(random, tokens, width);
    SequencePooling pooling(modes, static_cast<int64_t>(width));
    const auto pooled = pool(pooling, rows, static_cast<int64_t>(left_out));
    REQUIRE(pooled.size() == modes.size() * width);
    for (size_t k = 0; k < pooled.size(); ++k) {
      const double expected = bert::reference::pooled_column(modes[k / width], rows, left_out, k % width);
      REQUIRE_MESSAGE(std::abs(pooled[k] - expected) <= 1e-7 * (1 + std::abs(expected)), "mode ",
                      static_cast<int>(modes[k / width]), " column ", k % width);
    }
  }
}

TEST_CASE("a reused pooling keeps nothing from the previous sequence") {
  std::mt19937 random(2);
  SequencePooling used(kModes, 7);
  pool(used, random_rows(random, 30, 7), 2);
  const Rows rows = random_rows(random, 5, 7);
  SequencePooling fresh(kModes, 7);
  CHECK(pool(used, rows, 0) == pool(fresh, rows, 0));
}

TEST_CASE("max propagates a NaN at any position") {
  const float nan = std::nanf("");
  SequencePooling pooling(std::vector{PoolingMode::max}, 1);
  CHECK(std::isnan(pool(pooling, {{1}, {nan}, {2}}, 0)[0]));
  CHECK(std::isnan(pool(pooling, {{nan}, {1}, {2}}, 0)[0]));
}

TEST_CASE("only cls needs just the first token") {
  CHECK(bert::heads::only_first_token(std::vector{PoolingMode::cls}));
  CHECK_FALSE(bert::heads::only_first_token(std::vector{PoolingMode::cls, PoolingMode::mean}));
}
