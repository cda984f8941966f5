#include "base/random.h"

#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <vector>

using bert::Random;

TEST_CASE("Philox reproduces the published test vectors") {
  using Words = std::array<uint32_t, 4>;
  CHECK(bert::philox({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  const uint32_t ones = 0xffffffff;
  CHECK(bert::philox({ones, ones, ones, ones}, {ones, ones}) ==
        Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(bert::philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("streams differ by seed, indices and number of indices, and are reproducible") {
  std::set<uint64_t> seen;
  int streams = 0;
  const auto add = [&](Random random) {
    const uint64_t high = random.next();
    seen.insert(high << 32 | random.next());
    ++streams;
  };
  for (uint64_t seed = 0; seed < 20; ++seed) {
    add(Random(seed));
    for (uint64_t place = 0; place < 20; ++place) {
      add(Random(seed, {place}));
      add(Random(seed, {place, 0}));
      add(Random(seed, {0, place, 1}));
      add(Random(seed, {place << 32, 7}));
    }
  }
  CHECK(static_cast<int>(seen.size()) == streams);
  Random one(5, {1, 2}), same(5, {1, 2});
  for (int i = 0; i < 100; ++i) CHECK(one.next() == same.next());
}

TEST_CASE("integers below a bound are uniformly distributed") {
  for (uint32_t bound : {1u, 2u, 3u, 10u, 1000u}) {
    Random random(1, {bound});
    std::vector<int> counts(bound);
    const int draws = 200 * static_cast<int>(bound) + 10000;
    for (int i = 0; i < draws; ++i) ++counts.at(random.below(bound));
    const double expected = static_cast<double>(draws) / bound;
    double chi_square = 0;
    for (int count : counts) chi_square += (count - expected) * (count - expected) / expected;
    CHECK(chi_square <= bound - 1 + 5 * std::sqrt(2.0 * bound));
  }
}

TEST_CASE("uniform numbers fill the unit interval, and a shuffle produces every order") {
  Random random(2);
  double sum = 0, least = 1, most = 0;
  for (int i = 0; i < 100000; ++i) {
    const double value = random.uniform();
    sum += value;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  CHECK(std::abs(sum / 100000 - 0.5) < 0.005);
  CHECK((least >= 0 && least < 1e-3 && most < 1 && most > 0.999));
  std::set<std::vector<int>> orders;
  for (int i = 0; i < 1000; ++i) {
    std::vector<int> order = {0, 1, 2, 3};
    random.shuffle(order);
    orders.insert(order);
  }
  CHECK(orders.size() == 24);
}
