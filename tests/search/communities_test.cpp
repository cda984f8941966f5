#include "search/communities.h"

#include <doctest/doctest.h>

#include "brute_force.h"

using namespace bert;
using namespace bert::search;

namespace {

// By the definition, with all values at hand.
Clustering slow_communities(const std::vector<Row>& rows, const CommunityOptions& options) {
  const size_t count = rows.size();
  std::vector<std::vector<size_t>> near(count);
  for (size_t a = 0; a < count; ++a)
    for (size_t b = 0; b < count; ++b)
      if (value_of(options.metric, rows[a], rows[b].data()) >= options.limit) near[a].push_back(b);
  std::vector<size_t> centers;
  for (size_t a = 0; a < count; ++a)
    if (std::ssize(near[a]) >= options.least) centers.push_back(a);
  std::ranges::stable_sort(centers, std::ranges::greater(), [&](size_t a) { return near[a].size(); });
  std::vector<int> owner(count, -1);
  std::vector<std::vector<size_t>> taken;
  for (const size_t center : centers) {
    std::vector<size_t> members;
    for (const size_t row : near[center])
      if (owner[row] < 0) members.push_back(row);
    if (owner[center] >= 0 || std::ssize(members) < options.least) continue;
    for (const size_t row : members) owner[row] = 1;
    taken.push_back(members);
  }
  std::ranges::stable_sort(taken, std::ranges::greater(), &std::vector<size_t>::size);
  Clustering result;
  result.cluster.assign(count, kNoCluster);
  for (size_t i = 0; i < taken.size(); ++i) {
    for (const size_t row : taken[i]) result.cluster[row] = static_cast<int32_t>(i);
    result.sizes.push_back(std::ssize(taken[i]));
  }
  return result;
}

}  // namespace

TEST_CASE("communities are those of the definition") {
  Random random(4);
  Pool pool(3);
  size_t clusters = 0, outside = 0;
  for (int i = 0; i < 600; ++i) {
    const int64_t width = 1 + random.below(12);
    const auto rows = generated_rows(random, 1 + random.below(random.bernoulli(0.02) ? 900 : 60), width);
    const Metric metric = random.bernoulli(0.5) ? Metric::cosine : Metric::l2;
    const auto any = [&]() -> const Row& { return rows[random.below(static_cast<uint32_t>(rows.size()))]; };
    const Row& a = any();
    const CommunityOptions options = {
        .metric = metric, .limit = value_of(metric, a, any().data()), .least = 1 + random.below(4)};
    const auto found = communities(stored(rows, width), options, pool);
    const auto expected = slow_communities(rows, options);
    REQUIRE(found.cluster == expected.cluster);
    REQUIRE(found.sizes == expected.sizes);
    clusters += found.sizes.size();
    outside += std::ranges::count(found.cluster, kNoCluster);
    std::vector<int64_t> ranks(found.sizes.size());
    for (size_t row = 0; row < rows.size(); ++row)
      if (found.cluster[row] != kNoCluster) ranks[found.cluster[row]] += found.rank[row];
    for (size_t k = 0; k < ranks.size(); ++k) CHECK(ranks[k] == found.sizes[k] * (found.sizes[k] + 1) / 2);
  }
  CHECK(clusters > 500);
  CHECK(outside > 500);
}

TEST_CASE("communities of many rows within the limit are looked at some at a time") {
  Pool pool(2);
  const std::vector<Row> rows(3000, Row(2, 1.0f));
  const auto found = communities(stored(rows, 2), {.metric = Metric::cosine, .limit = 0.5, .least = 2}, pool);
  CHECK(found.sizes == std::vector<int64_t>{3000});
  CHECK(found.rank.front() == 1);
}
