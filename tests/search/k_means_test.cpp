#include "search/k_means.h"

#include <doctest/doctest.h>

#include "brute_force.h"

using namespace bert;
using namespace bert::search;

namespace {

// Rows around a few points.
std::vector<Row> grouped_rows(Random& random, int64_t count, int64_t width, uint32_t groups) {
  std::vector<Row> centers(groups, Row(static_cast<size_t>(width))), rows;
  for (Row& center : centers)
    for (float& x : center) x = static_cast<float>(2 * random.uniform() - 1);
  for (int64_t i = 0; i < count; ++i) {
    rows.push_back(centers[random.below(groups)]);
    for (float& x : rows.back()) x += static_cast<float>(0.2 * random.uniform() - 0.1);
  }
  return rows;
}

double distance(Metric metric, const float* center, const Row& row) {
  const double value = value_of(metric, row, center);
  return metric == Metric::l2 ? std::sqrt(-value) : std::max(0.0, 1 - value);
}

// The mean of the rows of a cluster; for cosine, of unit rows, scaled to unit length.
Row mean_of(const KMeansClustering& clustering, Metric metric, const std::vector<Row>& rows,
            int32_t cluster) {
  std::vector<double> sum(rows.front().size());
  double members = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (clustering.cluster[i] != cluster) continue;
    const double length =
        metric == Metric::l2 ? 1 : std::sqrt(-value_of(Metric::l2, Row(sum.size()), rows[i].data()));
    for (size_t k = 0; k < sum.size(); ++k) sum[k] += rows[i][k] / length;
    ++members;
  }
  double divisor = members;
  if (metric == Metric::cosine) {
    double squares = 0;
    for (const double x : sum) squares += x * x;
    divisor = std::sqrt(squares);
  }
  Row mean;
  for (const double x : sum) mean.push_back(static_cast<float>(x / divisor));
  return mean;
}

}  // namespace

TEST_CASE("after convergence each row is nearest to its center, which is the mean of its rows") {
  Pool pool(3);
  Random random(1);
  for (int i = 0; i < 150; ++i) {
    const int64_t width = 2 + random.below(20);
    const auto rows = grouped_rows(random, 20 + random.below(900), width, 1 + random.below(8));
    const auto clusters = static_cast<int64_t>(1 + random.below(10));
    for (const Metric metric : {Metric::cosine, Metric::l2}) {
      const auto vectors = stored(rows, width);
      const auto result = k_means(
          vectors,
          {.metric = metric, .clusters = clusters, .seed = static_cast<uint64_t>(i), .most_iterations = 1000},
          pool);
      REQUIRE(result.iterations < 1000);
      for (size_t r = 0; r < rows.size(); ++r) {
        const auto own = static_cast<int64_t>(result.cluster[r]);
        REQUIRE(
            result.distance[r] ==
            doctest::Approx(distance(metric, &result.centers[static_cast<size_t>(own * width)], rows[r])));
        for (int64_t k = 0; k < clusters; ++k)
          REQUIRE(distance(metric, &result.centers[static_cast<size_t>(k * width)], rows[r]) >=
                  result.distance[r] - 1e-5);
      }
      for (int32_t k = 0; k < clusters; ++k) {
        if (result.sizes[static_cast<size_t>(k)] == 0) continue;
        const Row mean = mean_of(result, metric, rows, k);
        for (size_t x = 0; x < mean.size(); ++x)
          REQUIRE(std::abs(mean[x] - result.centers[static_cast<size_t>(k * width) + x]) < 1e-5);
      }
    }
  }
}

TEST_CASE("results depend on the seed, not on the number of threads") {
  Random random(2);
  const auto rows = grouped_rows(random, 3000, 30, 40);
  const auto vectors = stored(rows, 30);
  const auto run = [&](int threads, uint64_t seed) {
    Pool pool(threads);
    return k_means(vectors, {.metric = Metric::cosine, .clusters = 20, .seed = seed}, pool);
  };
  const auto first = run(1, 5);
  for (const int threads : {2, 5}) {
    const auto other = run(threads, 5);
    CHECK(other.cluster == first.cluster);
    CHECK(other.distance == first.distance);
    CHECK(other.centers == first.centers);
  }
  CHECK(run(2, 6).cluster != first.cluster);
}

TEST_CASE("clusters are numbered by size, and rows ranked by distance") {
  Pool pool(2);
  Random random(3);
  auto rows = grouped_rows(random, 500, 4, 9);
  rows.insert(rows.end(), rows.begin(), rows.begin() + 200);  // equal distances are ranked by row
  const auto result = k_means(stored(rows, 4), {.metric = Metric::l2, .clusters = 6}, pool);
  CHECK(std::ranges::is_sorted(result.sizes, std::greater()));
  std::vector<int64_t> sizes(6);
  for (size_t i = 0; i < rows.size(); ++i) {
    ++sizes[static_cast<size_t>(result.cluster[i])];
    int64_t before = 1;
    for (size_t k = 0; k < rows.size(); ++k) {
      if (result.cluster[k] != result.cluster[i]) continue;
      if (result.distance[k] < result.distance[i] || (result.distance[k] == result.distance[i] && k < i))
        ++before;
    }
    REQUIRE(result.rank[i] == before);
  }
  CHECK(sizes == result.sizes);
}

TEST_CASE("as many clusters as rows have one row each") {
  Pool pool(2);
  Random random(4);
  for (int i = 0; i < 50; ++i) {
    const auto rows = grouped_rows(random, 12, 5, 12);
    for (const Metric metric : {Metric::cosine, Metric::l2}) {
      const auto result = k_means(stored(rows, 5),
                                  {.metric = metric, .clusters = 12, .seed = static_cast<uint64_t>(i)}, pool);
      CHECK(std::ranges::all_of(result.sizes, [](int64_t size) { return size == 1; }));
    }
  }
}

TEST_CASE("fewer different rows than clusters leave clusters empty, zeros included") {
  Pool pool(2);
  std::vector<Row> rows(40, Row{1, 0});
  for (size_t i = 0; i < rows.size(); i += 2) rows[i] = {0, 0};
  for (const Metric metric : {Metric::cosine, Metric::l2}) {
    const auto result = k_means(stored(rows, 2), {.metric = metric, .clusters = 5}, pool);
    CHECK(result.sizes[0] + result.sizes[1] + result.sizes[2] + result.sizes[3] + result.sizes[4] == 40);
  }
}

namespace {

// Whether no center is nearer to a row than its own.
void check_nearest(const KMeansClustering& result, Metric metric, const std::vector<Row>& rows,
                   int64_t clusters) {
  const size_t width = rows.front().size();
  const auto value = [&](size_t row, size_t k) {
    return value_of(metric, rows[row], &result.centers[k * width]);
  };
  for (size_t r = 0; r < rows.size(); ++r) {
    for (size_t k = 0; k < static_cast<size_t>(clusters); ++k)
      REQUIRE(value(r, k) <= value(r, static_cast<size_t>(result.cluster[r])));
  }
}

}  // namespace

TEST_CASE("rows that are far from zero and close to each other are assigned to the nearest center") {
  Pool pool(2);
  std::vector<Row> rows;
  for (const float y : {0.0f, 0.01f, 0.02f, 1.0f, 1.01f, 1.02f}) rows.push_back({10000, y});
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const auto result = k_means(stored(rows, 2), {.metric = Metric::l2, .clusters = 2, .seed = seed}, pool);
    CHECK(result.cluster == std::vector<int32_t>{0, 0, 0, 1, 1, 1});
  }
}

TEST_CASE("rows whose squares f32 cannot hold are assigned to the nearest center") {
  Pool pool(2);
  for (const float scale : {1e20f, 1e38f, 1e-24f, 1e-36f}) {
    const std::vector<Row> rows = {{scale, 0},         {1.1f * scale, 0}, {-scale, 0},
                                   {-1.1f * scale, 0}, {0, scale},        {0, 1.3f * scale}};
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const auto result = k_means(stored(rows, 2), {.metric = Metric::l2, .clusters = 3, .seed = seed}, pool);
      CHECK(result.cluster == std::vector<int32_t>{0, 0, 1, 1, 2, 2});
    }
  }
}

TEST_CASE("no center is nearer to a row than its own, exactly, for any kind of rows") {
  Pool pool(3);
  Random random(5);
  for (int i = 0; i < 300; ++i) {
    const int64_t width = 1 + random.below(20), clusters = random.bernoulli(0.1) ? 300 : 1 + random.below(12);
    auto rows = generated_rows(random, clusters + random.below(800), width);
    if (random.bernoulli(0.3)) {
      for (Row& row : rows)
        for (float& x : row) x += 1000;
    }
    for (const Metric metric : {Metric::cosine, Metric::l2}) {
      const KMeansOptions options = {.metric = metric, .clusters = clusters, .most_iterations = 1000};
      const auto vectors = stored(rows, width);
      const auto result = k_means(vectors, options, pool);
      REQUIRE(result.iterations < 1000);
      check_nearest(result, metric, rows, clusters);
    }
  }
}
