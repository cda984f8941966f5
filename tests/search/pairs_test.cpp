#include "search/pairs.h"

#include <doctest/doctest.h>

#include "brute_force.h"
#include "search/dedup.h"
#include "search/results.h"

using namespace bert;
using namespace bert::search;

namespace {

constexpr Metric kMetrics[] = {Metric::cosine, Metric::dot, Metric::l2};

// All pairs that reach the limit, by a, then b.
std::vector<Pair> slow_pairs(Metric metric, const std::vector<Row>& rows, double limit) {
  std::vector<Pair> pairs;
  for (size_t a = 0; a < rows.size(); ++a) {
    for (size_t b = a + 1; b < rows.size(); ++b) {
      const double value = value_of(metric, rows[a], rows[b].data());
      if (value >= limit)
        pairs.push_back({.a = static_cast<int64_t>(a), .b = static_cast<int64_t>(b), .value = value});
    }
  }
  return pairs;
}

std::vector<Pair> all_pairs(PairSearch search) {
  std::vector<Pair> all, some;
  while (search.next(some)) all.insert(all.end(), some.begin(), some.end());
  return all;
}

// A limit that some pairs reach exactly.
double limit_of(Random& random, Metric metric, const std::vector<Row>& rows) {
  const auto any = [&]() -> const Row& { return rows[random.below(static_cast<uint32_t>(rows.size()))]; };
  const Row& a = any();
  return value_of(metric, a, any().data());
}

}  // namespace

TEST_CASE("pairs are those of comparing every two rows in f64") {
  Random random(1);
  Pool pool(3);
  for (int i = 0; i < 1500; ++i) {
    const int64_t width = 1 + random.below(24);
    const auto rows = generated_rows(random, 1 + random.below(random.bernoulli(0.02) ? 1000 : 50), width);
    const Metric metric = kMetrics[random.below(3)];
    const double limit = limit_of(random, metric, rows);
    const int64_t most = random.bernoulli(0.5) ? PairSearch::kMost : 1 + random.below(500);
    const auto vectors = stored(rows, width);
    const auto found = all_pairs(PairSearch(vectors, metric, limit, pool, most));
    const auto expected = slow_pairs(metric, rows, limit);
    REQUIRE(found.size() == expected.size());
    for (size_t p = 0; p < found.size(); ++p) {
      REQUIRE(found[p].a == expected[p].a);
      REQUIRE(found[p].b == expected[p].b);
      REQUIRE(found[p].value == expected[p].value);
    }
  }
}

TEST_CASE("pairs are found some at a time") {
  Pool pool(2);
  const std::vector<Row> rows(1200, Row(3, 1.0f));
  const auto vectors = stored(rows, 3);
  PairSearch search(vectors, Metric::cosine, 0.5, pool, 5000);
  std::vector<Pair> pairs;
  size_t total = 0, largest = 0;
  for (; search.next(pairs); total += pairs.size()) largest = std::max(largest, pairs.size());
  CHECK(total == 1200 * 1199 / 2);
  CHECK(largest <= 5000);
}

TEST_CASE("a vector is kept unless it is too similar to one kept before") {
  Random random(2);
  Pool pool(3);
  for (int i = 0; i < 1000; ++i) {
    const int64_t width = 1 + random.below(24);
    const auto rows = generated_rows(random, 1 + random.below(random.bernoulli(0.02) ? 1500 : 60), width);
    const Metric metric = kMetrics[random.below(3)];
    const double limit = limit_of(random, metric, rows);
    Dedup dedup(width, metric, limit, pool);
    std::vector<const Row*> expected;
    for (size_t begin = 0; begin < rows.size();) {
      const size_t end = std::min(rows.size(), begin + 1 + random.below(400));
      std::vector<const float*> batch;
      for (size_t r = begin; r < end; ++r) batch.push_back(rows[r].data());
      const auto kept = dedup.keep(batch);
      for (size_t r = begin; r < end; ++r) {
        const bool alike = std::ranges::any_of(
            expected, [&](const Row* row) { return value_of(metric, rows[r], row->data()) >= limit; });
        if (!alike) expected.push_back(&rows[r]);
        REQUIRE((kept[r - begin] != 0) == !alike);
      }
      begin = end;
    }
    CHECK(dedup.kept() == static_cast<int64_t>(expected.size()));
  }
}

TEST_CASE("a threshold is a score, for l2 a distance") {
  CHECK(value_at(Metric::cosine, 0.25) == doctest::Approx(0.25));
  CHECK(value_at(Metric::l2, 3) == doctest::Approx(-9));
  std::string out;
  append_score(out, Metric::l2, -9, -1);
  append_score(out += ' ', Metric::cosine, -0.0, -1);
  append_score(out += ' ', Metric::dot, 1.0 / 3, 2);
  CHECK(out == "3 0 0.33");
}

TEST_CASE("the least value that reaches a threshold is the last one that f32 rounds to it") {
  Random random(3);
  for (int i = 0; i < 20000; ++i) {
    for (const Metric metric : kMetrics) {
      const bool is_l2 = metric == Metric::l2;
      double threshold = is_l2 ? random.uniform() : 2 * random.uniform() - 1;
      if (metric != Metric::cosine) threshold *= std::pow(10.0, static_cast<double>(random.below(61)) - 30);
      if (random.bernoulli(0.1)) threshold = random.below(2);
      const auto reaches = [&](double value) {
        const auto score = static_cast<float>(is_l2 ? std::sqrt(-value) : value);
        return is_l2 ? score <= static_cast<float>(threshold) : score >= static_cast<float>(threshold);
      };
      const double least = value_at(metric, threshold);
      INFO("threshold ", threshold);
      REQUIRE(reaches(least));
      REQUIRE(!reaches(std::nextafter(least, -INFINITY)));
    }
  }
}
