#include "metric/ranking.h"

#include <doctest/doctest.h>

#include "base/random.h"
#include "reference/slow_metrics.h"

namespace bert::metric {
namespace {

constexpr auto kNo = ReciprocalRank::Relevant::no, kYes = ReciprocalRank::Relevant::yes;

TEST_CASE("the reciprocal rank is that of the best relevant passage") {
  ReciprocalRank score;
  score.add("who?", kNo, 0.9);
  score.add("when?", kYes, -3);
  score.add("who?", kYes, 0.5);
  score.add("who?", kYes, 0.1);
  CHECK(score.queries() == 2);
  CHECK(score.value() == doctest::Approx((0.5 + 1) / 2));
  score.add("why?", kNo, 1);  // no relevant passage
  CHECK(score.value() == doctest::Approx(1.5 / 3));
}

TEST_CASE("a tie ranks the relevant passage last") {
  ReciprocalRank score;
  for (const auto relevant : {kYes, kNo, kNo, kYes}) score.add("q", relevant, 0);
  CHECK(score.value() == doctest::Approx(1.0 / 3));
}

TEST_CASE("reciprocal ranks match the slow reference") {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    Random random(seed, {4});
    ReciprocalRank score;
    std::vector<reference::SlowPassage> passages;
    for (uint32_t i = 1 + random.below(30); i > 0; --i) {
      passages.push_back({std::string(1, static_cast<char>('a' + random.below(4))), random.below(3) == 0,
                          random.below(8) / 4.0 - 1});
      const auto& passage = passages.back();
      score.add(passage.query, passage.relevant ? kYes : kNo, passage.score);
    }
    CAPTURE(seed);
    CHECK(score.value() == doctest::Approx(reference::slow_reciprocal_rank(passages)).epsilon(1e-12));
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
