#include "search/hnsw.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "brute_force.h"

using namespace bert;
using namespace bert::search;

namespace {

constexpr int64_t kRows = 5000, kWidth = 6;

StoredVectors some_rows() {
  Random random(1);
  StoredVectors vectors(kWidth);
  for (int64_t i = 0; i < kRows; ++i) {
    Row row(kWidth);
    for (float& x : row) x = static_cast<float>(random.uniform());
    vectors.add(row);
  }
  return vectors;
}

}  // namespace

TEST_CASE("one point in 16 is on the next level, links are few, and all points are reached") {
  const auto vectors = some_rows();
  const Points points(vectors, Metric::l2, std::vector<bool>(kRows));
  Hnsw graph(points);
  Pool pool(2);
  graph.build(pool);
  const auto levels = graph.levels();
  const auto above = std::ranges::count_if(levels, [](uint8_t level) { return level > 0; });
  CHECK(above > kRows / 20);
  CHECK(above < kRows / 13);
  CHECK(levels[graph.entry()] == std::ranges::max(levels));

  constexpr size_t kList = 2 * Hnsw::kLinks + 1;
  std::vector<bool> reached(kRows);
  std::vector<uint32_t> open = {graph.entry()};
  reached[open[0]] = true;
  while (!open.empty()) {
    const auto list = graph.lowest().subspan(open.back() * kList, kList);
    open.pop_back();
    REQUIRE(list[0] < kList);
    for (const uint32_t to : list.subspan(1, list[0])) {
      if (!reached[to]) open.push_back(to);
      reached[to] = true;
    }
  }
  CHECK(std::ranges::count(reached, true) == kRows);
}

// Only a row that is added last has all the links that were selected for it, and no others.
TEST_CASE("a row is linked in various directions") {
  const auto vectors = some_rows();
  const Points points(vectors, Metric::l2, std::vector<bool>(kRows));
  Hnsw graph(points);
  Pool pool(1);
  graph.build(pool);
  const uint32_t* const list = graph.lowest().data() + graph.lowest().size() - (2 * Hnsw::kLinks + 1);
  const std::span links(list + 1, list[0]);
  REQUIRE(links.size() > 2);
  for (size_t i = 0; i < links.size(); ++i) {
    const float distance = points.distance(points[kRows - 1], points[links[i]]);
    for (size_t nearer = 0; nearer < i; ++nearer) {
      CHECK(points.distance(points[kRows - 1], points[links[nearer]]) <= distance);
      CHECK(points.distance(points[links[nearer]], points[links[i]]) >= distance);
    }
  }
}

TEST_CASE("a stored graph is restored, and links that lead nowhere are noticed") {
  const auto vectors = some_rows();
  const Points points(vectors, Metric::l2, std::vector<bool>(kRows));
  Hnsw graph(points), other(points);
  Pool pool(2);
  graph.build(pool);
  const auto restore = [&] {
    other.set_levels(graph.levels());
    std::ranges::copy(graph.lowest(), other.lowest().begin());
    std::ranges::copy(graph.upper(), other.upper().begin());
    return other.enter(graph.entry());
  };
  REQUIRE(restore());
  Hnsw::Walk walk, same;
  nn::Memory scratch;
  for (int64_t i = 0; i < kRows; i += 50) {
    graph.search(points[i], 20, walk);
    other.search(points[i], 20, same);
    CHECK(std::ranges::equal(walk.found(), same.found(), {}, &Near::point, &Near::point));
    CHECK(std::ranges::min(walk.found(), std::less()).point == i);
  }

  CHECK_FALSE(other.enter(kRows));
  const auto levels = graph.levels();
  const auto lowest = std::ranges::min_element(levels) - levels.begin();
  CHECK_FALSE(other.enter(static_cast<uint64_t>(lowest)));  // is not on the highest level
  graph.lowest()[1] = kRows;
  CHECK_FALSE(restore());
  graph.lowest()[1] = 0;
  graph.lowest()[0] = 2 * Hnsw::kLinks + 1;
  CHECK_FALSE(restore());
  graph.lowest()[0] = 1;
  REQUIRE(restore());
  graph.upper()[1] = static_cast<uint32_t>(lowest);  // is not on that level
  CHECK_FALSE(restore());
}
