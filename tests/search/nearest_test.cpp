#include "search/nearest.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "brute_force.h"

using namespace bert;
using namespace bert::search;

namespace {

constexpr Metric kMetrics[] = {Metric::cosine, Metric::dot, Metric::l2};

std::vector<const float*> pointers(const std::vector<Row>& rows) {
  std::vector<const float*> pointers;
  for (const Row& row : rows) pointers.push_back(row.data());
  return pointers;
}

void check_search(Metric metric, const std::vector<Row>& rows, const std::vector<Row>& queries, int64_t count,
                  Pool& pool) {
  const auto width = static_cast<int64_t>(queries.front().size());
  const StoredVectors vectors = stored(rows, width);
  ExactSearch search(vectors, metric, pool);
  const auto found = search.nearest(pointers(queries), count);
  REQUIRE(found.size() == queries.size());
  for (size_t q = 0; q < queries.size(); ++q) {
    auto expected = sorted_rows(metric, queries[q], rows);
    expected.resize(static_cast<size_t>(std::min<int64_t>(count, vectors.rows())));
    REQUIRE(found[q].size() == expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      INFO("query ", q, ", neighbor ", i, " of ", rows.size(), " rows, width ", width);
      REQUIRE(found[q][i].row == expected[i].row);
      REQUIRE(found[q][i].value == expected[i].value);
    }
  }
}

}  // namespace

TEST_CASE("values are those of the definitions in higher precision") {
  Random random(1);
  for (int i = 0; i < 3000; ++i) {
    const int64_t width = 1 + random.below(40);
    const auto rows = generated_rows(random, 2, width);
    for (const Metric metric : kMetrics) {
      const double slow = slow_value(metric, rows[0], rows[1]);
      double scale = 1;  // of the terms
      if (metric != Metric::cosine)
        scale = -slow_value(Metric::l2, rows[0], Row(rows[0].size(), 0)) -
                slow_value(Metric::l2, rows[1], Row(rows[1].size(), 0));
      CHECK(std::abs(value_of(metric, rows[0], rows[1].data()) - slow) <= 1e-13 * scale);
    }
  }
}

TEST_CASE("a search finds the rows and the order of a search in f64") {
  Pool pool(3);
  Random random(2);
  for (int i = 0; i < 2000; ++i) {
    const int64_t width = random.bernoulli(0.1) ? 1 + random.below(400) : 1 + random.below(20);
    const int64_t count = random.bernoulli(0.05) ? 300 + random.below(900) : 1 + random.below(60);
    const auto rows = generated_rows(random, count, width);
    auto queries = generated_rows(random, 1 + random.below(80), width);
    if (random.bernoulli(0.5)) queries.front() = rows[random.below(static_cast<uint32_t>(count))];
    check_search(kMetrics[random.below(3)], rows, queries, 1 + random.below(static_cast<uint32_t>(count) + 3),
                 pool);
  }
}

TEST_CASE("a search above a value finds all rows that have it, and no others") {
  Pool pool(3);
  Random random(6);
  for (int i = 0; i < 1000; ++i) {
    const int64_t width = 1 + random.below(12);
    const auto rows = generated_rows(random, 1 + random.below(900), width);
    const auto queries = generated_rows(random, 1 + random.below(20), width);
    const auto metric = kMetrics[random.below(3)];
    const StoredVectors vectors = stored(rows, width);
    // The value of a row, which is then among the results.
    const double least =
        value_of(metric, queries.front(), rows[random.below(static_cast<uint32_t>(rows.size()))].data());
    const int64_t most = random.bernoulli(0.5) ? 1 + random.below(20) : std::numeric_limits<int64_t>::max();
    const auto found = ExactSearch(vectors, metric, pool).nearest(pointers(queries), {most, least});
    for (size_t q = 0; q < queries.size(); ++q) {
      auto expected = sorted_rows(metric, queries[q], rows);
      std::erase_if(expected, [&](const Neighbor& neighbor) { return neighbor.value < least; });
      if (std::ssize(expected) > most) expected.resize(static_cast<size_t>(most));
      REQUIRE(found[q].size() == expected.size());
      for (size_t j = 0; j < expected.size(); ++j) REQUIRE(found[q][j].row == expected[j].row);
    }
  }
}

TEST_CASE("more queries than one product has columns are searched") {
  Pool pool(2);
  Random random(3);
  const auto rows = generated_rows(random, 500, 24);
  const auto queries = generated_rows(random, 1500, 24);
  for (const Metric metric : kMetrics) check_search(metric, rows, queries, 3, pool);
}

TEST_CASE("rows that f32 cannot tell apart are ordered by their f64 values") {
  Pool pool(2);
  Random random(4);
  std::vector<Row> rows(2000, Row(384));
  for (float& x : rows.front()) x = static_cast<float>(random.uniform());
  for (Row& row : rows) {
    row = rows.front();
    row[random.below(384)] += 1e-6f * static_cast<float>(random.below(5));
  }
  // Errors of one sign for all rows of a query do no harm, so there are queries in several directions.
  std::vector<Row> queries(rows.begin(), rows.begin() + 30);
  for (Row& query : queries)
    for (float& x : query) x *= static_cast<float>(random.uniform());
  for (const Metric metric : kMetrics) {
    check_search(metric, rows, queries, 50, pool);
    check_search(metric, rows, {queries[0], queries[1], queries[2]}, 50, pool);
  }
}

TEST_CASE("the nearest query of each row is that of a search in f64, the first of equal ones") {
  Pool pool(3);
  Random random(5);
  for (int i = 0; i < 400; ++i) {
    const int64_t width = 1 + random.below(20);
    const int64_t count = random.bernoulli(0.1) ? 300 + random.below(300) : 1 + random.below(12);
    auto rows = generated_rows(random, 1 + random.below(900), width);
    auto queries = generated_rows(random, count, width);
    if (random.bernoulli(0.3)) {  // f32 cannot tell the queries apart
      for (auto* vectors : {&rows, &queries})
        for (Row& row : *vectors)
          for (float& x : row) x += 1000;
    }
    const StoredVectors vectors = stored(rows, width);
    const auto places = pointers(queries);
    for (const Metric metric : kMetrics) {
      Scan scan(vectors, metric, pool);
      scan.prepare(places);
      nn::Memory scratch;
      for (int64_t b = 0, r = 0; b < vectors.blocks(); ++b) {
        for (const auto& nearest : scan.nearest(b, vectors.block(b, scratch), 0))
          REQUIRE(nearest.query == sorted_rows(metric, rows[r++], queries).front().row);
      }
    }
  }
}

TEST_CASE("no rows and no queries give no neighbors") {
  Pool pool(2);
  const StoredVectors none(4);
  const Row query(4, 1.0f);
  ExactSearch search(none, Metric::cosine, pool);
  CHECK(search.nearest(std::vector{query.data()}, 5).front().empty());
  CHECK(search.nearest({}, 5).empty());
}

TEST_CASE("the best neighbors are kept, equal ones by row") {
  Best best(2);
  CHECK(best.limit() == -INFINITY);
  for (const int64_t row : {4, 2, 9, 1}) best.add({.row = row, .value = 1});
  CHECK(best.limit() == 1);
  const auto kept = std::move(best).sorted();
  CHECK(kept.at(0).row == 1);
  CHECK(kept.at(1).row == 2);
}
