#include "search/graph.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <set>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "brute_force.h"

using namespace bert;
using namespace bert::search;

namespace {

using Neighbors = std::vector<std::vector<Neighbor>>;
constexpr Metric kMetrics[] = {Metric::cosine, Metric::dot, Metric::l2};

std::vector<Row> random_rows(uint64_t seed, size_t count, size_t width) {
  Random random(seed);
  std::vector<Row> rows(count, Row(width));
  for (Row& row : rows)
    for (float& x : row) x = static_cast<float>(2 * random.uniform() - 1);
  return rows;
}

// Rows around one for each 50 of them.
std::vector<Row> grouped_rows(uint64_t seed, size_t count, size_t width) {
  const auto centers = random_rows(7, count / 50 + 1, width);
  auto rows = random_rows(seed, count, width);
  for (size_t i = 0; i < count; ++i)
    for (size_t d = 0; d < width; ++d) rows[i][d] = 0.3f * rows[i][d] + centers[i % centers.size()][d];
  return rows;
}

std::vector<const float*> pointers(const std::vector<Row>& rows) {
  std::vector<const float*> pointers;
  for (const Row& row : rows) pointers.push_back(row.data());
  return pointers;
}

// A graph's file, and a search with it on some threads.
class Graph {
 public:
  explicit Graph(const Vectors& vectors, Metric metric, int64_t candidates = 100)
      : vectors_(vectors), metric_(metric), candidates_(candidates) {}
  ~Graph() { std::remove(path_.c_str()); }

  Neighbors nearest(std::span<const float* const> queries, int64_t count, int threads) {
    Pool pool(threads);
    GraphSearch search(vectors_, metric_, {.path = path_, .candidates = candidates_}, pool, log_);
    return search.nearest(queries, count);
  }
  // The same, one by one.
  Neighbors nearest_of_each(std::span<const float* const> queries, int64_t count) {
    Pool pool(1);
    GraphSearch search(vectors_, metric_, {.path = path_, .candidates = candidates_}, pool, log_);
    Neighbors found;
    for (const float* const query : queries) found.push_back(search.nearest(std::span(&query, 1), count)[0]);
    return found;
  }
  std::string file() const { return read_file(path_); }

 private:
  const Vectors& vectors_;
  Metric metric_;
  int64_t candidates_;
  Log log_ = Log("test", Log::Level::quiet);
  std::string path_ =
      (std::filesystem::temp_directory_path() / ("graph_test-" + std::to_string(::getpid()))).string();
};

bool equal(const Neighbors& a, const Neighbors& b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) {
    return std::ranges::equal(
        x, y, [](const Neighbor& p, const Neighbor& q) { return p.row == q.row && p.value == q.value; });
  });
}

// The share of exact neighbors that were found.
double recall(const Neighbors& exact, const Neighbors& found) {
  size_t hits = 0, all = 0;
  for (size_t q = 0; q < exact.size(); ++q) {
    std::set<int64_t> expected;
    for (const Neighbor& neighbor : exact[q]) expected.insert(neighbor.row);
    for (const Neighbor& neighbor : found[q]) hits += expected.count(neighbor.row);
    all += expected.size();
  }
  return static_cast<double>(hits) / static_cast<double>(all);
}

}  // namespace

TEST_CASE("a graph finds nearly all neighbors, with exact values") {
  Pool pool(3);
  for (const bool grouped : {false, true}) {
    const auto rows = grouped ? grouped_rows(1, 3000, 16) : random_rows(1, 3000, 16);
    const auto asked = grouped ? grouped_rows(2, 100, 16) : random_rows(2, 100, 16);
    const auto vectors = stored(rows, 16);
    for (const Metric metric : kMetrics) {
      const auto exact = ExactSearch(vectors, metric, pool).nearest(pointers(asked), 10);
      const auto found = Graph(vectors, metric).nearest(pointers(asked), 10, 2);
      CHECK(recall(exact, found) > (grouped ? 0.98 : 0.95));
      for (size_t q = 0; q < asked.size(); ++q) {
        REQUIRE(found[q].size() == 10);
        for (size_t i = 0; i < found[q].size(); ++i) {
          const auto& [row, value] = found[q][i];
          REQUIRE(value == value_of(metric, asked[q], rows[row].data()));
          REQUIRE((i == 0 || found[q][i - 1].before(found[q][i])));
        }
      }
    }
  }
}

TEST_CASE("a graph and its results depend neither on threads, nor on other queries, nor on the file") {
  Random random(5);
  for (int round = 0; round < 6; ++round) {
    const auto rows = round == 0 ? random_rows(3, 3000, 24) : generated_rows(random, 1500, 7);
    const auto width = std::ssize(rows[0]);
    const auto vectors = stored(rows, width);
    const auto asked = random_rows(4, 40, width);
    const auto queries = pointers(asked);
    for (const Metric metric : kMetrics) {
      std::string first;
      Neighbors expected;
      for (const int threads : {1, 2, 5}) {
        Graph graph(vectors, metric);
        const auto built = graph.nearest(queries, 10, threads);
        if (threads == 1) {
          first = graph.file();
          expected = built;
        }
        CHECK(graph.file() == first);
        CHECK(equal(built, expected));
        CHECK(equal(graph.nearest(queries, 10, threads), expected));
        CHECK(equal(graph.nearest_of_each(queries, 10), expected));
      }
    }
  }
}

TEST_CASE("a graph of few rows finds all") {
  for (const int64_t count : {1, 2, 3, 17, 40}) {
    const auto rows = random_rows(6, count, 5);
    const auto vectors = stored(rows, 5);
    const auto asked = random_rows(7, 10, 5);
    Pool pool(1);
    for (const Metric metric : kMetrics) {
      const auto exact = ExactSearch(vectors, metric, pool).nearest(pointers(asked), 50);
      Graph graph(vectors, metric);
      CHECK(equal(exact, graph.nearest(pointers(asked), 50, 2)));
      CHECK(equal(exact, graph.nearest(pointers(asked), 50, 1)));
    }
  }
}

TEST_CASE("a graph finds duplicates of a row, and rows among many duplicates and zero vectors") {
  auto rows = random_rows(8, 2500, 16);
  for (size_t i = 0; i < rows.size(); i += 5) rows[i] = rows[i % 3 == 0 ? 0 : i % 100];
  for (size_t i = 1; i < rows.size(); i += 50) rows[i].assign(16, 0);
  const auto vectors = stored(rows, 16);
  std::vector<Row> asked;
  for (size_t i = 0; i < rows.size(); i += 7) asked.push_back(rows[i]);
  Pool pool(2);
  for (const Metric metric : kMetrics) {
    const auto exact = ExactSearch(vectors, metric, pool).nearest(pointers(asked), 200);
    Graph graph(vectors, metric);
    const auto found = graph.nearest(pointers(asked), 200, 2);
    CHECK(recall(exact, found) > 0.98);
    CHECK(equal(found, graph.nearest(pointers(asked), 200, 1)));
  }
}

TEST_CASE("a graph of equal rows finds them in their order") {
  const auto vectors = stored(std::vector<Row>(3000, {1, 2}), 2);
  const Row query = {1, 0};
  for (const Metric metric : kMetrics) {
    const auto found = Graph(vectors, metric).nearest(std::array{query.data()}, 5, 2);
    REQUIRE(found[0].size() == 5);
    for (size_t i = 0; i < 5; ++i) CHECK(found[0][i].row == static_cast<int64_t>(i));
  }
}

TEST_CASE("a query with NaN does no harm to others") {
  const auto vectors = stored(random_rows(9, 100, 4), 4);
  const std::vector<Row> asked = {{NAN, 1, 2, 3}, {1, 2, 3, 4}};
  for (const Metric metric : kMetrics) {
    Graph graph(vectors, metric);
    const auto alone = graph.nearest(std::array{asked[1].data()}, 3, 1);
    CHECK(equal({graph.nearest(pointers(asked), 3, 1)[1]}, alone));
  }
}

TEST_CASE("the graph of other rows with the same norms is refused") {
  auto rows = random_rows(3, 1000, 8);
  const auto vectors = stored(rows, 8);
  Graph graph(vectors, Metric::cosine);
  graph.nearest({}, 1, 2);
  CHECK_NOTHROW(graph.nearest({}, 1, 2));
  for (float& x : rows[900]) x = -x;
  const auto others = stored(rows, 8);
  Graph read(others, Metric::cosine);  // the same file
  CHECK_THROWS_AS(read.nearest({}, 1, 2), Error);
}
