#include "search/graph.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <set>
#include <string>

#include "base/error.h"
#include "base/file.h"
#include "brute_force.h"

using namespace bert;
using namespace bert::search;

namespace {

bool has_graphs() {
  try {
    require_graphs();
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::vector<Row> random_rows(uint64_t seed, size_t count, size_t width) {
  Random random(seed);
  std::vector<Row> rows(count, Row(width));
  for (Row& row : rows)
    for (float& x : row) x = static_cast<float>(2 * random.uniform() - 1);
  return rows;
}

}  // namespace

TEST_CASE("a graph finds nearly all neighbors, with exact values, and is the same each time it is built") {
  if (!has_graphs()) return;
  Pool pool(3);
  Log log("test", Log::Level::quiet);
  const auto rows = random_rows(1, 3000, 16), asked = random_rows(2, 100, 16);
  const auto vectors = stored(rows, 16);
  std::vector<const float*> queries;
  for (const Row& row : asked) queries.push_back(row.data());
  for (const Metric metric : {Metric::cosine, Metric::dot, Metric::l2}) {
    const auto exact = ExactSearch(vectors, metric, pool).nearest(queries, 10);
    std::string first;
    std::vector<std::vector<Neighbor>> found;
    for (int built = 0; built < 2; ++built) {
      const auto path =
          (std::filesystem::temp_directory_path() / ("graph_test-" + std::to_string(::getpid()))).string();
      for (int reading = 0; reading < 2; ++reading) {
        GraphSearch search(vectors, metric, {.path = path, .candidates = 100}, pool, log);
        found = search.nearest(queries, 10);
        size_t hits = 0;
        for (size_t q = 0; q < queries.size(); ++q) {
          REQUIRE(found[q].size() == 10);
          std::set<int64_t> expected;
          for (const Neighbor& neighbor : exact[q]) expected.insert(neighbor.row);
          for (size_t i = 0; i < found[q].size(); ++i) {
            const Neighbor& neighbor = found[q][i];
            hits += expected.count(neighbor.row);
            REQUIRE(neighbor.value ==
                    value_of(metric, asked[q], rows[static_cast<size_t>(neighbor.row)].data()));
            REQUIRE((i == 0 || found[q][i - 1].before(neighbor)));
          }
        }
        CHECK(hits > 950);
      }
      const std::string file = read_file(path);
      CHECK((built == 0 || file == first));
      first = file;
      std::remove(path.c_str());
    }
  }
}

TEST_CASE("the graph of other rows with the same norms is refused") {
  if (!has_graphs()) return;
  Pool pool(2);
  Log log("test", Log::Level::quiet);
  auto rows = random_rows(3, 1000, 8);
  const auto path =
      (std::filesystem::temp_directory_path() / ("graph_test-" + std::to_string(::getpid()))).string();
  const auto read = [&] {
    const auto vectors = stored(rows, 8);
    const GraphSearch search(vectors, Metric::cosine, {.path = path}, pool, log);
  };
  read();
  CHECK_NOTHROW(read());
  for (float& x : rows[900]) x = -x;
  CHECK_THROWS_AS(read(), Error);
  std::remove(path.c_str());
}
