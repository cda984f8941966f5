#include "examples/split.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/random.h"

using namespace bert::examples;

namespace {

std::vector<SplitKey> drawn(uint64_t seed, uint32_t count, uint32_t labels, uint32_t groups) {
  bert::Random random(seed, {});
  std::vector<SplitKey> keys;
  for (uint32_t i = 0; i < count; ++i)
    keys.push_back({.content = groups > 0 ? random.below(groups) : i * 0x9E3779B97F4A7C15,
                    .label = random.below(labels) + 1});
  return keys;
}

}  // namespace

TEST_CASE("folds are disjoint, complete, and divide each label evenly") {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const auto keys = drawn(seed, 30 + seed, 1 + seed % 4, 0);
    std::vector<int> times(keys.size());
    for (int64_t i = 1; i <= 5; ++i) {
      const auto dev = split(keys, {.fold = std::pair(i, int64_t{5})}, seed);
      std::map<uint32_t, double> all, held_out;
      for (size_t k = 0; k < keys.size(); ++k) {
        times[k] += dev[k];
        ++all[keys[k].label];
        held_out[keys[k].label] += dev[k];
      }
      for (const auto& [label, count] : all) CHECK(std::abs(held_out[label] - count / 5) < 1);
    }
    CHECK(std::ranges::count(times, 1) == std::ssize(keys));
  }
}

TEST_CASE("a record more, or less, moves at most one record of each label and part") {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const auto keys = drawn(seed, 100 + seed, 1 + seed % 5, 0);
    for (size_t left_out : {size_t{0}, keys.size() / 2, keys.size() - 1}) {
      auto others = keys;
      others.erase(others.begin() + static_cast<int64_t>(left_out));
      for (const auto& options : {SplitOptions{.share = 0.2}, SplitOptions{.fold = std::pair(2, 5)},
                                  SplitOptions{.fold = std::pair(5, 5)}}) {
        const auto before = split(keys, options, seed), after = split(others, options, seed);
        std::map<uint32_t, int> moved;
        for (size_t i = 0; i < others.size(); ++i)
          moved[others[i].label] += before[i < left_out ? i : i + 1] != after[i];
        for (const auto& [label, count] : moved) CHECK(count <= 2);
      }
    }
  }
}

TEST_CASE("a share is exact, and depends on the seed but not on the order of records") {
  auto keys = drawn(1, 1000, 3, 0);
  const auto held_out = [&](double share, uint64_t seed) {
    std::set<uint64_t> contents;
    const auto dev = split(keys, {.share = share}, seed);
    for (size_t i = 0; i < keys.size(); ++i)
      if (dev[i]) contents.insert(keys[i].content);
    return contents;
  };
  const auto one = held_out(0.1, 7);
  CHECK(one.size() == 100);
  CHECK(held_out(0.1, 8) != one);
  std::ranges::reverse(keys);
  CHECK(held_out(0.1, 7) == one);
}

TEST_CASE("groups stay together") {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const auto keys = drawn(seed, 400, 2, 60);
    std::vector<int> times(keys.size());
    for (int64_t i = 1; i <= 4; ++i) {
      const auto dev = split(keys, {.fold = std::pair(i, int64_t{4}), .group_field = "user"}, seed);
      std::map<uint64_t, std::set<bool>> sides;
      for (size_t k = 0; k < keys.size(); ++k) {
        times[k] += dev[k];
        sides[keys[k].content].insert(dev[k]);
      }
      for (const auto& [content, of_group] : sides) CHECK(of_group.size() == 1);
      CHECK(std::abs(std::ranges::count(dev, true) - 100) <= 15);
    }
    CHECK(std::ranges::count(times, 1) == std::ssize(keys));
    const auto dev = split(keys, {.share = 0.2, .group_field = "user"}, seed);
    CHECK(std::abs(std::ranges::count(dev, true) - 80) <= 15);
  }
}
