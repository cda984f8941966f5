#include "search/hybrid.h"

#include <doctest/doctest.h>

namespace bert::search {
namespace {

TEST_CASE("reciprocal ranks are added") {
  const std::vector<Neighbor> vectors = {{7, 0.9}, {3, 0.8}, {5, 0.1}}, words = {{5, 12}, {9, 3}};
  const auto joined = join_by_ranks(vectors, words);
  REQUIRE(joined.size() == 4);
  CHECK(joined[0].row == 5);
  CHECK(joined[0].value == doctest::Approx(1.0 / 63 + 1.0 / 61));
  CHECK(joined[1].row == 7);
  CHECK(joined[2].row == 3);  // equal to that of 9
  CHECK(joined[3].value == doctest::Approx(1.0 / 62));
  CHECK(join_by_ranks({}, {}).empty());
}

TEST_CASE("weighted scores") {
  const std::vector<Candidate> candidates = {{1, 0.5, 8}, {2, 0.75, 0}, {4, -0.5, 4}};
  const auto joined = join_by_weight(candidates, 0.75);
  CHECK(joined[0].row == 1);
  CHECK(joined[0].value == doctest::Approx(0.75 * 0.5 + 0.25));
  CHECK(joined[1].value == doctest::Approx(0.75 * 0.75));
  CHECK(joined[2].value == doctest::Approx(-0.75 * 0.5 + 0.125));
  const std::vector<Candidate> wordless = {{1, 0.5, 0}};
  CHECK(join_by_weight(wordless, 0.5)[0].value == 0.25);
}

TEST_CASE("quoted parts") {
  using Parts = std::vector<std::string_view>;
  CHECK(quoted_parts("the \"ISO 8601\" date of “x_y”") == Parts{"ISO 8601", "x_y"});
  CHECK(quoted_parts("5\" disk") == Parts{});
  CHECK(quoted_parts("\"\" a “open") == Parts{});
}

}  // namespace
}  // namespace bert::search
