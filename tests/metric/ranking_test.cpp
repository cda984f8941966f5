#include "metric/ranking.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "base/random.h"
#include "reference/slow_metrics.h"

namespace bert::metric {
namespace {

double mrr(Rankings& rankings) { return rankings.means(10).reciprocal_rank; }

TEST_CASE("the reciprocal rank is that of the best relevant document") {
  Rankings rankings;
  rankings.add("who?", 0, 0.9);
  rankings.add("when?", 1, -3);
  rankings.add("who?", 1, 0.5);
  rankings.add("who?", 2, 0.1);
  CHECK(rankings.queries() == 2);
  CHECK(mrr(rankings) == doctest::Approx((0.5 + 1) / 2));
  rankings.add("why?", 0, 1);  // no relevant document
  CHECK(mrr(rankings) == doctest::Approx(1.5 / 3));
  CHECK(rankings.means(1).reciprocal_rank_at_k == doctest::Approx(1.0 / 3));
}

TEST_CASE("a tie ranks the relevant document last, or names from the last one") {
  Rankings unnamed, named;
  for (const double gain : {1, 0, 0, 1}) unnamed.add("q", gain, 0);
  CHECK(mrr(unnamed) == doctest::Approx(1.0 / 3));
  for (const std::string name : {"b", "a", "c"}) named.add("q", name == "a" ? 1 : 0, 0, {name});
  CHECK(mrr(named) == doctest::Approx(1.0 / 3));
}

TEST_CASE("gains are discounted by rank") {
  Rankings rankings;
  rankings.add("q", 1, 3, {"a"});
  rankings.add("q", 0, 2, {"b"});
  rankings.add("q", 3, 1, {"c"});
  rankings.add_missing("q", 2);
  rankings.add_missing("q", 0);
  rankings.add_missing("other", 1);
  const auto means = rankings.means(2);
  const double best = 3 + 2 / std::log2(3.0) + 1 / 2.0;
  CHECK(rankings.count() == 3);
  CHECK(means.ndcg == doctest::Approx((1 + 3 / 2.0) / best / 2));
  CHECK(means.ndcg_at_k == doctest::Approx(1 / (3 + 2 / std::log2(3.0)) / 2));
  CHECK(means.average_precision == doctest::Approx((1 + 2.0 / 3) / 3 / 2));
  CHECK(means.precision_at_k == doctest::Approx(1.0 / 2 / 2));
  CHECK(means.recall_at_k == doctest::Approx(1.0 / 3 / 2));
}

TEST_CASE("a document cannot be ranked twice") {
  Rankings rankings;
  rankings.add("q", 1, 3, {"a", "run", 1});
  rankings.add("r", 1, 3, {"a", "run", 2});
  CHECK_NOTHROW(rankings.means(1));
  rankings.add("r", 1, 4, {"b", "run", 3});
  rankings.add("r", 1, 4, {"a", "run", 4});
  CHECK_THROWS_WITH(rankings.means(1), "run:4: document \"a\" is ranked twice for query \"r\"");
}

TEST_CASE("reciprocal ranks match the slow reference") {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    Random random(seed, {4});
    Rankings rankings;
    std::vector<reference::SlowPassage> passages;
    for (uint32_t i = 1 + random.below(30); i > 0; --i) {
      passages.push_back({std::string(1, static_cast<char>('a' + random.below(4))), random.below(3) == 0,
                          random.below(8) / 4.0 - 1});
      const auto& passage = passages.back();
      rankings.add(passage.query, passage.relevant ? 1 : 0, passage.score);
    }
    CAPTURE(seed);
    CHECK(mrr(rankings) == doctest::Approx(reference::slow_reciprocal_rank(passages)).epsilon(1e-12));
  }
}

TEST_CASE("hits among the top k") {
  TopHits hits;
  hits.add(0, 5);
  hits.add(3, 4);
  hits.add(std::nullopt, 5);
  CHECK(hits.count() == 3);
  CHECK(hits.fewest() == 4);
  CHECK(hits.share_of(1) == doctest::Approx(1.0 / 3));
  CHECK(hits.share_of(3) == doctest::Approx(1.0 / 3));
  CHECK(hits.share_of(4) == doctest::Approx(2.0 / 3));
}

}  // namespace
}  // namespace bert::metric
