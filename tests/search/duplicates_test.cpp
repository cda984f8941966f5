#include "search/duplicates.h"

#include <doctest/doctest.h>

#include <map>

#include "brute_force.h"

using namespace bert;
using namespace bert::search;

TEST_CASE("duplicates are the rows with the numbers of an earlier one") {
  Random random(1);
  Pool pool(3);
  for (int round = 0; round < 50; ++round) {
    const auto rows = generated_rows(random, 1 + random.below(1000), 1 + random.below(5));
    std::map<Row, uint32_t> first;
    std::vector<Duplicate> expected;
    for (uint32_t row = 0; row < rows.size(); ++row) {
      const auto [found, is_new] = first.emplace(rows[row], row);
      if (!is_new) expected.push_back({.of = found->second, .row = row});
    }
    std::ranges::sort(expected);
    const auto duplicates = find_duplicates(stored(rows, std::ssize(rows[0])), pool);
    REQUIRE(duplicates == expected);
    const auto marks = marked(duplicates, std::ssize(rows));
    REQUIRE(marks.size() == rows.size());
    REQUIRE(std::ranges::count(marks, true) == std::ssize(duplicates));
  }
}

TEST_CASE("pairs that cannot be duplicates are noticed") {
  using Duplicates = std::vector<Duplicate>;
  CHECK(marked(Duplicates{{0, 1}, {0, 3}, {2, 4}}, 5) == std::vector{false, true, false, true, true});
  CHECK(marked(Duplicates{{0, 5}}, 5).empty());
  CHECK(marked(Duplicates{{1, 1}}, 5).empty());
  CHECK(marked(Duplicates{{2, 1}}, 5).empty());
  CHECK(marked(Duplicates{{0, 1}, {1, 2}}, 5).empty());
  CHECK(marked(Duplicates{{0, 2}, {1, 2}}, 5).empty());
  CHECK(marked(Duplicates{{0, 2}, {0, 1}}, 5).empty());
}
