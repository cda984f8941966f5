#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "corpus/stats_filter.h"

using namespace bert::corpus;

namespace {

// Lengths of every magnitude, up to that of a 10 MB line and beyond.
std::vector<int64_t> random_lengths(std::mt19937& chance, int count) {
  std::vector<int64_t> lengths;
  for (int i = 0; i < count; ++i) lengths.push_back(static_cast<int64_t>(chance() >> chance() % 32));
  return lengths;
}

}  // namespace

TEST_CASE("the histogram's statistics match those of the sorted lengths") {
  std::mt19937 chance(5);
  for (int round = 0; round < 300; ++round) {
    auto lengths = random_lengths(chance, 1 + static_cast<int>(chance() % 300));
    LengthHistogram halves[2];
    int64_t sum = 0;
    for (const int64_t length : lengths) {
      halves[chance() % 2].add(length);
      sum += length;
    }
    halves[0].merge(halves[1]);
    const auto& histogram = halves[0];
    std::sort(lengths.begin(), lengths.end());
    const auto count = static_cast<int64_t>(lengths.size());
    CHECK(histogram.count() == count);
    CHECK(histogram.sum() == sum);
    CHECK(histogram.min() == lengths.front());
    CHECK(histogram.max() == lengths.back());
    for (const int per_mille : {1, 500, 900, 950, 990, 1000}) {
      const int64_t rank = std::max<int64_t>(1, (count * per_mille + 999) / 1000);
      const int64_t exact = lengths[static_cast<size_t>(rank - 1)];
      const int64_t found = histogram.quantile(per_mille);
      CHECK(found >= exact);
      CHECK(found <= (exact < 1024 ? exact : exact + exact / 32));
    }
  }
}

TEST_CASE("buckets are disjoint, ascending, and contain their lengths") {
  std::mt19937 chance(6);
  const auto lengths = random_lengths(chance, 5000);
  LengthHistogram histogram;
  for (const int64_t length : lengths) histogram.add(length);
  int64_t last = -1;
  for (const auto& bucket : histogram.buckets()) {
    REQUIRE(bucket.first > last);
    REQUIRE(bucket.last >= bucket.first);
    last = bucket.last;
    const auto inside = std::count_if(lengths.begin(), lengths.end(), [&](int64_t length) {
      return bucket.first <= length && length <= bucket.last;
    });
    CHECK(inside == bucket.count);
    CHECK((bucket.first >= 1024 || bucket.first == bucket.last));
    CHECK(bucket.last - bucket.first <= bucket.first / 32);
  }
  CHECK(histogram.buckets().size() < 1024 + 22 * 32);
}

TEST_CASE("an empty histogram reports zeros") {
  const LengthHistogram empty;
  CHECK(empty.quantile(500) == 0);
  CHECK(empty.min() == 0);
  CHECK(empty.buckets().empty());
}
