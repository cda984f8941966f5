#include "examples/record_digest.h"

#include <doctest/doctest.h>

#include <map>

#include "base/random.h"
#include "examples/pretrain_example.h"

using namespace bert::examples;

namespace {

using Records = std::vector<RecordDigest>;

Records drawn(uint64_t seed, int count) {
  bert::Random random(seed, {});
  Records records;
  for (int i = 0; i < count; ++i) {
    const auto input = random.below(2 * count);  // 0: bad
    records.push_back(
        {.input = input * 0x9E3779B97F4A7C15, .label = static_cast<uint32_t>(random.below(3)), .tokens = 1});
  }
  return records;
}

Repeats slow_repeats(const Records& records) {
  Repeats repeats;
  for (int64_t i = 0; i < std::ssize(records); ++i) {
    bool earlier = false, other = false;
    for (int64_t k = 0; k < std::ssize(records); ++k) {
      if (i == k || records[i].input == 0 || records[i].input != records[k].input) continue;
      earlier |= k < i;
    }
    std::map<uint32_t, int> labels;
    for (const auto& record : records)
      if (record.input != 0 && record.input == records[i].input) ++labels[record.label];
    const auto first = std::ranges::find(records, records[i].input, &RecordDigest::input)->label;
    other = first != 0 && labels.size() - labels.contains(0) > 1;
    repeats.duplicates += earlier;
    repeats.conflicting += other;
  }
  return repeats;
}

std::unique_ptr<PretrainExample> masked(std::vector<int32_t> ids, std::vector<int32_t> positions,
                                        std::vector<int32_t> gold) {
  auto example = std::make_unique<PretrainExample>();
  example->types.resize(ids.size());
  example->ids = std::move(ids);
  example->positions = std::move(positions);
  example->gold = std::move(gold);
  return example;
}

template <class... Ids>
Examples examples_of(Ids... ids) {
  Examples examples;
  (examples.push_back(masked(ids, {}, {})), ...);
  return examples;
}

}  // namespace

TEST_CASE("records with the same input are found as by comparing all") {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const auto records = drawn(seed, 1 + seed % 60);
    const auto found = find_repeats(records), expected = slow_repeats(records);
    CHECK(found.duplicates == expected.duplicates);
    CHECK(found.conflicting == expected.conflicting);
    const auto dev = drawn(seed + 1000, 20);
    int64_t overlap = 0;
    for (const auto& one : dev)
      overlap += one.input != 0 && std::ranges::count(records, one.input, &RecordDigest::input) > 0;
    CHECK(find_overlap(dev, records).records == overlap);
  }
}

TEST_CASE("the first records with the same input are named") {
  const Records records = {{5, 1}, {7, 1}, {5, 1}, {0, 1}, {7, 2}, {5, 2}, {0, 2}, {7, 1}};
  const auto repeats = find_repeats(records);
  CHECK(repeats.duplicates == 4);
  CHECK(repeats.conflicting == 6);
  REQUIRE(repeats.first.size() == 4);
  CHECK(repeats.first.front().record == 2);
  CHECK(repeats.first.front().earlier == 0);
  CHECK(repeats.first.back().record == 7);
  CHECK(repeats.first.back().earlier == 1);
  REQUIRE(repeats.first_conflicts.size() == 2);
  CHECK(repeats.first_conflicts.front().record == 4);
  CHECK(repeats.first_conflicts.front().earlier == 1);
  const auto overlap = find_overlap(Records{{9, 1}, {0, 1}, {7, 1}}, records);
  CHECK(overlap.records == 1);
  CHECK(overlap.first.front().record == 2);
  CHECK(overlap.first.front().earlier == 1);
  CHECK(find_repeats(Records(100, {5, 1})).first.size() == Repeats::kShown);
  CHECK(find_repeats(Records(100, {5, 0})).conflicting == 0);
  CHECK(find_repeats({}).duplicates == 0);
}

TEST_CASE("the digest of a record depends on its tokens and windows, not on masks") {
  using Ids = std::vector<int32_t>;
  const auto input = [](const Examples& examples) { return digest_of(examples).input; };
  CHECK(input({}) == 0);
  CHECK(digest_of(examples_of(Ids{1, 2}, Ids{3})).tokens == 3);
  CHECK(input(examples_of(Ids{1, 2})) == input(examples_of(Ids{1, 2})));
  CHECK(input(examples_of(Ids{1, 2})) != input(examples_of(Ids{2, 1})));
  CHECK(input(examples_of(Ids{1, 2}, Ids{3})) != input(examples_of(Ids{1}, Ids{2, 3})));
  Examples hidden, shown;
  hidden.push_back(masked({1, 103, 3}, {1}, {2}));
  shown.push_back(masked({1, 2, 3}, {}, {}));
  CHECK(input(hidden) == input(shown));
}
