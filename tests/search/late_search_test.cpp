#include "search/late_search.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "nn/kernels/kernels.h"
#include "nn/max_sim.h"

using namespace bert;
using namespace bert::search;

namespace {

std::vector<float> random_numbers(std::mt19937& random, size_t count) {
  std::normal_distribution<float> normal;
  std::vector<float> numbers(count);
  for (float& number : numbers) number = normal(random);
  return numbers;
}

}  // namespace

TEST_CASE("a search of token vectors finds the texts with the largest sums of products, by any threads") {
  std::mt19937 random(4);
  constexpr int64_t kWidth = 24, kTexts = 333;
  TokenVectors vectors(kWidth);
  for (int64_t text = 0; text < kTexts; ++text)
    vectors.add(random_numbers(random, kWidth * (1 + random() % (text % 50 == 0 ? 400 : 9))));
  std::vector<std::vector<float>> queries;
  for (int i = 0; i < 5; ++i) queries.push_back(random_numbers(random, kWidth * (1 + random() % 40)));
  std::vector<int64_t> some;
  for (int64_t text = 3; text < kTexts; text += 2) some.push_back(text);
  const std::vector<int64_t>* const lists[] = {nullptr, &some};
  for (const auto* selected : lists) {
    std::vector<std::vector<std::vector<Neighbor>>> results;
    for (const int threads : {1, 3}) {
      Pool pool(threads);
      const std::vector<std::span<const float>> rows(queries.begin(), queries.end());
      results.push_back(LateSearch(vectors, selected, pool).nearest(rows, 10));
    }
    for (size_t q = 0; q < queries.size(); ++q) {
      std::vector<Neighbor> expected;
      const int64_t count = selected != nullptr ? std::ssize(*selected) : kTexts;
      for (int64_t row = 0; row < count; ++row)
        expected.push_back(
            {.row = row,
             .value = nn::max_sim(nn::usable_kernels(), queries[q],
                                  vectors.of(selected != nullptr ? (*selected)[row] : row), kWidth)});
      std::ranges::sort(expected, [](const Neighbor& a, const Neighbor& b) { return a.before(b); });
      REQUIRE(results[0][q].size() == 10);
      for (size_t i = 0; i < 10; ++i) {
        CHECK(results[0][q][i].row == expected[i].row);
        CHECK(results[0][q][i].value == doctest::Approx(expected[i].value).epsilon(1e-5));
        CHECK(results[0][q][i].row == results[1][q][i].row);
        CHECK(results[0][q][i].value == results[1][q][i].value);
      }
      // A threshold between two of them.
      Pool pool(2);
      const std::vector<std::span<const float>> rows = {queries[q]};
      const double least = (expected[2].value + expected[3].value) / 2;
      CHECK(LateSearch(vectors, selected, pool).nearest(rows, {10, least}).front().size() == 3);
    }
  }
}
