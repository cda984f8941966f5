#include "examples/epoch_order.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using bert::examples::EpochOrder;

namespace {

std::vector<int64_t> draws(EpochOrder& order, int64_t begin, int64_t end) {
  std::vector<int64_t> records;
  for (int64_t draw = begin; draw < end; ++draw) records.push_back(order.at(draw));
  return records;
}

std::set<int64_t> as_set(const std::vector<int64_t>& records) { return {records.begin(), records.end()}; }

}  // namespace

TEST_CASE("each epoch has each record once, in an order of its own") {
  EpochOrder order(7, 20);
  CHECK(order.end_of(3) == 60);
  CHECK(as_set(draws(order, 0, 20)).size() == 20);
  CHECK(as_set(draws(order, 20, 40)).size() == 20);
  CHECK(draws(order, 0, 20) != draws(order, 20, 40));
  CHECK(order.epoch_of(19) == 0);
  CHECK(order.epoch_of(20) == 1);
  CHECK(order.epoch_end(20) == 40);
  CHECK(order.had_before(20) == std::vector<bool>(20));
  const auto had = order.had_before(25);
  CHECK(std::ranges::count(had, true) == 5);
  for (const auto record : draws(order, 20, 25)) CHECK(had[static_cast<size_t>(record)]);
}

TEST_CASE("after a change, the epoch continues with what it has not had, then whole epochs follow") {
  for (const auto seed : {std::optional<uint64_t>(7), std::optional<uint64_t>()}) {
    CAPTURE(seed.has_value());
    EpochOrder order(seed, 6);
    order.change({.drawn = 13, .epoch = 2, .had = {true, false, false, true, false, false}});
    CHECK(as_set(draws(order, 13, 17)) == std::set<int64_t>{1, 2, 4, 5});
    CHECK(as_set(draws(order, 17, 23)).size() == 6);
    CHECK(order.epoch_of(16) == 2);
    CHECK(order.epoch_of(17) == 3);
    CHECK(order.epoch_end(14) == 17);
    CHECK(order.epoch_end(17) == 23);
    CHECK(order.end_of(2) == 13);  // had ended before the change
    CHECK(order.end_of(3) == 17);
    CHECK(order.end_of(4) == 23);
    CHECK(order.had_before(14)[static_cast<size_t>(order.at(13))]);
    CHECK(std::ranges::count(order.had_before(14), true) == 3);
    EpochOrder fresh(seed, 6);
    CHECK(draws(order, 17, 23) == draws(fresh, 18, 24));  // epoch 3
  }
}
