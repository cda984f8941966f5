#include "nn/dropout.h"

#include <doctest/doctest.h>

#include <cmath>

#include "nn/tables.h"
#include "reference/slow_training.h"

using namespace bert;
using namespace bert::nn;

TEST_CASE("the reference Threefry-2x32-13 reproduces the published test vectors") {
  using Words = std::array<uint32_t, 2>;  // from Random123's kat_vectors: counter, key, result
  CHECK(reference::threefry({0, 0}, {0, 0}, 13) == Words{0x9d1c5ec6, 0x8bd50731});
  CHECK(reference::threefry({~0u, ~0u}, {~0u, ~0u}, 13) == Words{0xfd36d048, 0x2d17272c});
  CHECK(reference::threefry({0x243f6a88, 0x85a308d3}, {0x13198a2e, 0x03707344}, 13) ==
        Words{0xba3e4725, 0xf27d669e});
}

TEST_CASE("dropout matches the reference bit for bit in every kernel table") {
  std::mt19937 random(1);
  for (const Kernels* table : tables()) {
    for (int turn = 0; turn < 400; ++turn) {
      const int64_t n = turn < 130 ? turn + 1 : static_cast<int64_t>(random() % 900 + 1);
      const DropoutKey key = {static_cast<uint32_t>(random()), static_cast<uint32_t>(random())};
      const DropoutRate rate(static_cast<float>(random() % 100) / 100);
      const auto row = static_cast<uint32_t>(turn % 3 == 0 ? random() : random() % 512);
      const auto x = normal_numbers(random, n), residual = normal_numbers(random, n);
      std::vector<float> y(x.size() + 1, 7), sum = residual;
      table->drop(n, key, row, rate, x.data(), nullptr, y.data());
      table->drop(n, key, row, rate, x.data(), sum.data(), sum.data());
      bool same = true, added = true;
      for (size_t i = 0; i < x.size(); ++i) {
        const bool stays = reference::kept(key, row, static_cast<uint32_t>(i), rate.threshold);
        same = same && y[i] == (stays ? x[i] * rate.scale : 0);
        const double expected = static_cast<double>(y[i]) + residual[i];
        added = added && std::abs(sum[i] - expected) <= 1.3e-7 * (std::abs(y[i]) + std::abs(residual[i]));
      }
      CHECK_MESSAGE(same, table->name, " n ", n, " rate ", rate.threshold);
      CHECK_MESSAGE(added, table->name, " n ", n, " rate ", rate.threshold);
      CHECK_MESSAGE(y.back() == 7, table->name, " wrote behind ", n);
    }
  }
}

TEST_CASE("the dropped share equals the rate, and decisions are independent") {
  constexpr uint32_t kRows = 200, kColumns = 640;
  const DropoutSeed dropout_seed = {.seed = 11, .step = 3};
  const auto decisions = [&](const DropoutSeed& at, uint64_t sequence, uint64_t layer, DropoutSite site,
                             uint64_t head, uint32_t threshold) {
    const DropoutKey key = dropout_key(at, sequence, layer, site, head);
    std::vector<bool> kept;
    for (uint32_t row = 0; row < kRows; ++row) {
      for (uint32_t column = 0; column < kColumns; ++column) {
        kept.push_back(reference::kept(key, row, column, threshold));
      }
    }
    return kept;
  };
  const DropoutRate rate(0.1f);
  const double p = rate.threshold / 65536.0;
  const auto first = decisions(dropout_seed, 0, 0, DropoutSite::attention, 0, rate.threshold);

  // χ² with one degree of freedom for the total and 20 for the groups (columns mod 20, rows mod 20). 10.8 and
  // 45.3 are exceeded with probability 1e-3; the seed is fixed.
  const auto chi_square = [&](auto group, size_t groups) {
    std::vector<double> left_out(groups), count(groups);
    for (size_t i = 0; i < first.size(); ++i) {
      const size_t g = group(i);
      left_out[g] += first[i] ? 0 : 1;
      count[g] += 1;
    }
    double sum = 0;
    for (size_t g = 0; g < groups; ++g) {
      const double expected = count[g] * p;
      sum += (left_out[g] - expected) * (left_out[g] - expected) / (expected * (1 - p));
    }
    return sum;
  };
  CHECK(chi_square([](size_t) { return size_t{0}; }, 1) < 10.8);
  CHECK(chi_square([](size_t i) { return i % kColumns % 20; }, 20) < 45.3);
  CHECK(chi_square([](size_t i) { return i / kColumns % 20; }, 20) < 45.3);

  // Independent decisions are both dropped with probability p²; the bound is 5 standard deviations.
  const auto independent = [&](const std::vector<bool>& a, const std::vector<bool>& b, size_t shift) {
    double both = 0;
    const size_t n = a.size() - shift;
    for (size_t i = 0; i < n; ++i) both += !a[i] && !b[i + shift] ? 1 : 0;
    const double count = static_cast<double>(n);
    return std::abs(both / count - p * p) < 5 * std::sqrt(p * p * (1 - p * p) / count);
  };
  for (size_t shift : {1, 4, 8, 15, 16, 17, 32, 48, 63, 64, 640, 641, 1280}) {
    CHECK_MESSAGE(independent(first, first, shift), "neighbours ", shift, " apart");
  }
  const uint32_t t = rate.threshold;
  CHECK(independent(first, decisions(dropout_seed, 1, 0, DropoutSite::attention, 0, t), 0));
  CHECK(independent(first, decisions(dropout_seed, 0, 1, DropoutSite::attention, 0, t), 0));
  CHECK(independent(first, decisions(dropout_seed, 0, 0, DropoutSite::feed_forward, 0, t), 0));
  CHECK(independent(first, decisions(dropout_seed, 0, 0, DropoutSite::attention, 1, t), 0));
  CHECK(independent(first, decisions({.seed = 12, .step = 3}, 0, 0, DropoutSite::attention, 0, t), 0));
  CHECK(independent(first, decisions({.seed = 11, .step = 4}, 0, 0, DropoutSite::attention, 0, t), 0));
  CHECK(first == decisions(dropout_seed, 0, 0, DropoutSite::attention, 0, t));
}

TEST_CASE("a rate is a multiple of 1/65536, and its scale keeps the mean") {
  for (float p : {0.0f, 0.1f, 0.15f, 0.25f, 0.5f, 0.9f, 0.99999f}) {
    const DropoutRate rate(p);
    CHECK(std::abs(rate.threshold / 65536.0 - p) <= 1.01 / 65536);
    const double mean = (65536.0 - rate.threshold) / 65536 * static_cast<double>(rate.scale);
    CHECK_MESSAGE(std::abs(mean - 1) <= 6e-8, p, ": ", mean);
    CHECK(rate.active() == (p > 0));
  }
}
