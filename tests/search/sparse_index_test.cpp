#include "search/sparse_index.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>

#include "base/random.h"

namespace bert::search {
namespace {

using Weights = std::vector<io::TokenWeight>;

// Of a few tokens, so that texts have some in common; equal weights make equal scores.
Weights random_weights(Random& random, uint32_t most) {
  std::map<std::string, float> weights;
  for (uint32_t i = random.below(most + 1); i > 0; --i)
    weights["t" + std::to_string(random.below(20))] =
        random.below(2) == 0 ? 1.5f : static_cast<float>(random.below(1 << 24)) / 1e5f + 1e-6f;
  Weights list;
  for (const auto& [token, weight] : weights) list.push_back({.token = token, .weight = weight});
  return list;
}

double slow_score(const Weights& a, const Weights& b) {
  double sum = 0;
  for (const auto& [token, weight] : a)
    for (const auto& other : b)
      if (other.token == token) sum += static_cast<double>(weight) * other.weight;
  return sum;
}

TEST_CASE("scores are dot products") {
  Random random(5, {2});
  for (int run = 0; run < 50; ++run) {
    SparseIndex index;
    std::vector<Weights> texts(1 + random.below(300));
    for (auto& text : texts) index.add(text = random_weights(random, 12));
    REQUIRE(index.rows() == std::ssize(texts));
    const WordQuery query{.text = "", .weights = random_weights(random, 6)};
    const auto scores = index.scores(query);
    std::vector<Neighbor> expected;
    for (int64_t row = 0; row < index.rows(); ++row) {
      const double score = slow_score(query.weights, texts[row]);
      CHECK(scores.values[row] == score);
      if (score > 0) expected.push_back({.row = row, .value = score});
    }
    CHECK(scores.rows.size() == expected.size());
    std::ranges::sort(expected, [](const Neighbor& a, const Neighbor& b) { return a.before(b); });
    const size_t count = std::min<size_t>(5, expected.size());
    const auto best = scores.best(5);
    REQUIRE(best.size() == count);
    for (size_t i = 0; i < count; ++i) {
      CHECK(best[i].row == expected[i].row);
      CHECK(best[i].value == expected[i].value);
    }
  }
}

TEST_CASE("products are exact in f64, and far rows and large weights fit") {
  SparseIndex index;
  for (int i = 0; i < 70'000; ++i) index.add({});
  const Weights text = {{.token = "a", .weight = 3e38f}, {.token = "b", .weight = 1e-44f}};
  index.add(text);
  const auto scores = index.scores({.text = "", .weights = text});
  REQUIRE(scores.rows == std::vector<int64_t>{70'000});
  CHECK(scores.values[70'000] == static_cast<double>(3e38f) * 3e38f + static_cast<double>(1e-44f) * 1e-44f);
}

TEST_CASE("any text may contain a quoted part, whatever its tokens are") {
  SparseIndex index;
  for (int i = 0; i < 3; ++i) index.add({});
  CHECK(index.candidates_with({"part"}) == std::vector<int64_t>{0, 1, 2});
}

}  // namespace
}  // namespace bert::search
