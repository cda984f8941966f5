#include "corpus/pairs.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "corpus/chi_square.h"
#include "corpus/full_sentences.h"
#include "reference/slow_pairs.h"

using namespace bert;
using namespace bert::corpus;
using reference::SlowDocument;
using reference::SlowInstance;

namespace {

// A token encodes its origin: 10000 per document, 1 per token.
constexpr int32_t kPerDocument = 10000;

std::vector<SlowDocument> make_documents(Random& random, size_t count, uint32_t most_sentences,
                                         uint32_t most_tokens) {
  std::vector<SlowDocument> documents(count);
  for (size_t d = 0; d < count; ++d) {
    int32_t token = static_cast<int32_t>(d) * kPerDocument;
    documents[d].resize(1 + random.below(most_sentences));
    for (auto& sentence : documents[d])
      for (uint32_t i = 1 + random.below(most_tokens); i > 0; --i) sentence.push_back(token++);
  }
  return documents;
}

DocumentBlock block_of(const std::vector<SlowDocument>& documents) {
  DocumentBlock block(documents.size());
  for (size_t d = 0; d < documents.size(); ++d)
    for (const auto& sentence : documents[d]) {
      block[d].ids.insert(block[d].ids.end(), sentence.begin(), sentence.end());
      block[d].begins.push_back(block[d].ids.size());
    }
  return block;
}

std::vector<SlowInstance> all_of(Instances instances) {
  std::vector<SlowInstance> found;
  for (Instance instance; instances.next(instance);)
    found.push_back({{instance.first.begin(), instance.first.end()},
                     {instance.second.begin(), instance.second.end()},
                     instance.label});
  return found;
}

std::vector<SlowInstance> slow(const PairRule& rule, const std::vector<SlowDocument>& documents, size_t index,
                               auto& chance) {
  const reference::SlowPairRule slow_rule{rule.mode == PairRule::Mode::order, rule.max_length,
                                          rule.short_probability, rule.random_probability,
                                          rule.mode == PairRule::Mode::sentence};
  if (rule.mode == PairRule::Mode::none)
    return reference::slow_sentences(slow_rule, documents[index], chance);
  return reference::slow_pairs(slow_rule, documents, index, chance);
}

// Draws from an independent generator.
class Mersenne {
 public:
  explicit Mersenne(uint64_t seed) : random_(seed) {}
  uint32_t below(uint32_t bound) { return std::uniform_int_distribution<uint32_t>(0, bound - 1)(random_); }
  bool bernoulli(double probability) {
    return std::uniform_real_distribution<double>()(random_) < probability;
  }

 private:
  std::mt19937_64 random_;
};

constexpr PairRule::Mode kModes[] = {PairRule::Mode::next, PairRule::Mode::order, PairRule::Mode::none,
                                     PairRule::Mode::sentence};

}  // namespace

TEST_CASE("with the same draws the instances match the slow reference exactly") {
  int64_t instances = 0;
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    Random random(seed);
    const auto documents =
        make_documents(random, 2 + random.below(4), 1 + random.below(30), 1 + random.below(40));
    const auto block = block_of(documents);
    const PairRule rule{.mode = kModes[random.below(4)],
                        .max_length = kShortestPairs + random.below(100),
                        .short_probability = random.uniform(),
                        .random_probability = random.uniform()};
    const size_t index = random.below(static_cast<uint32_t>(documents.size()));
    Random same(seed, {1});
    const auto expected = slow(rule, documents, index, same);
    CAPTURE(seed);
    REQUIRE(all_of(Instances(rule, block, index, Random(seed, {1}))) == expected);
    instances += static_cast<int64_t>(expected.size());
  }
  CHECK(instances > 10000);
}

TEST_CASE("instances of full sentences across documents match the slow reference exactly") {
  constexpr int32_t kSeparator = -7;
  int64_t instances = 0, separators = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    Random random(seed);
    auto documents = make_documents(random, 2 + random.below(9), 1 + random.below(9), 1 + random.below(40));
    documents[random.below(static_cast<uint32_t>(documents.size()))].clear();
    auto block = block_of(documents);
    const PairRule rule{.mode = PairRule::Mode::full,
                        .max_length = kShortestPairs + random.below(100),
                        .short_probability = random.uniform()};
    FullSentences full(rule, kSeparator, seed);
    std::vector<Packed> packed;
    for (size_t d = 0; d < block.size(); ++d) {
      block[d].place = static_cast<int64_t>(d);
      full.add(block[d], packed);
    }
    if (Packed last; full.take_rest(last)) packed.push_back(last);
    std::vector<reference::Tokens> found;
    for (auto& one : packed) {
      found.push_back(std::move(one.ids));
      separators += std::ranges::count(found.back(), kSeparator);
    }
    CAPTURE(seed);
    const auto chance_of = [&](uint64_t document, uint64_t number) {
      return Random(seed, {kPairStream, document, number});
    };
    const reference::SlowPairRule slow_rule{.max_seq_length = rule.max_length,
                                            .short_seq_prob = rule.short_probability};
    REQUIRE(found == reference::slow_full(slow_rule, documents, kSeparator, chance_of));
    instances += std::ssize(found);
  }
  CHECK(instances > 5000);
  CHECK(separators > 500);
}

TEST_CASE("with other draws the distribution of instances matches the slow reference") {
  const std::vector<SlowDocument> documents = {{{0, 1}, {2}, {3, 4, 5}, {6}, {7, 8, 9, 10, 11, 12, 13}},
                                               {{10000}, {10001, 10002}},
                                               {{20000, 20001, 20002}}};
  const auto block = block_of(documents);
  for (const auto mode : kModes) {
    const PairRule rule{.mode = mode, .max_length = 9, .short_probability = 0.3, .random_probability = 0.4};
    Mersenne mersenne(5);
    std::map<SlowInstance, std::pair<int64_t, int64_t>> outcomes;
    std::map<size_t, std::pair<int64_t, int64_t>> counts;
    for (uint64_t pass = 0; pass < 20000; ++pass) {
      // One instance per pass, because instances of one pass are dependent.
      const auto fast = all_of(Instances(rule, block, 0, Random(6, {pass})));
      const auto expected = slow(rule, documents, 0, mersenne);
      ++outcomes[fast[pass % fast.size()]].first;
      ++outcomes[expected[pass % expected.size()]].second;
      ++counts[fast.size()].first;
      ++counts[expected.size()].second;
    }
    CHECK(outcomes.size() > 8);
    CHECK(test::alike(outcomes));
    CHECK(test::alike(counts));
  }
}

TEST_CASE("a million instances have the requested shares of labels and short lengths") {
  Random random(1);
  const auto documents = make_documents(random, 8, 400, 20);
  const auto block = block_of(documents);
  const PairRule rule{.max_length = 24, .short_probability = 0.1, .random_probability = 0.5};
  std::vector<int64_t> labels(2), shorts(2), label_after(4), others(block.size() - 1);
  int64_t count = 0;
  int last = 0;
  for (uint64_t pass = 0; count < 1000000; ++pass) {
    const size_t index = pass % block.size();
    Instances instances(rule, block, index, Random(2, {pass}));
    for (Instance instance; instances.next(instance); ++count) {
      ++labels[static_cast<size_t>(instance.label)];
      ++shorts[instance.is_short ? 1 : 0];
      ++label_after[static_cast<size_t>(2 * last + instance.label)];
      last = instance.label;
      if (instance.label == 0 || index != 0) continue;
      ++others[static_cast<size_t>(instance.second[0] / kPerDocument) - 1];
    }
  }
  CHECK(test::agrees(labels, {0.5, 0.5}));
  CHECK(!test::agrees(labels, {0.503, 0.497}));
  CHECK(test::agrees(shorts, {0.9, 0.1}));
  CHECK(!test::agrees(shorts, {0.902, 0.098}));
  CHECK(test::agrees(label_after, {0.25, 0.25, 0.25, 0.25}));
  CHECK(test::equally_likely(others));
}

TEST_CASE("a pair has two non-empty parts within the maximum length and a correct label") {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const auto documents = make_documents(random, 3, 60, 30);
    const auto block = block_of(documents);
    const PairRule rule{.max_length = kShortestPairs + random.below(60)};
    const int32_t own = 1;
    for (const auto& [a, b, label] : all_of(Instances(rule, block, 1, Random(seed, {1})))) {
      REQUIRE(!a.empty());
      REQUIRE(!b.empty());
      CHECK(static_cast<int64_t>(a.size() + b.size()) + 3 <= rule.max_length);
      for (const auto& part : {a, b})
        for (size_t i = 1; i < part.size(); ++i) CHECK(part[i] == part[i - 1] + 1);
      CHECK(a[0] / kPerDocument == own);
      CHECK((b[0] / kPerDocument == own) == (label == 0));
      if (label == 0) CHECK(a.back() < b.front());
    }
  }
}

TEST_CASE("sentences displaced by a random B are used later; a single sentence makes no pair") {
  const std::vector<SlowDocument> documents = {{{0}, {1}, {2}, {3}}, {{10000}}, {{20000}}};
  const auto block = block_of(documents);
  const PairRule always{.short_probability = 0, .random_probability = 1};
  for (uint64_t seed = 0; seed < 100; ++seed) {
    std::vector<int32_t> seen;
    for (const auto& instance : all_of(Instances(always, block, 0, Random(seed))))
      seen.insert(seen.end(), instance.a.begin(), instance.a.end());
    // All but the last sentence, which cannot be an A without a B after it.
    for (size_t i = 0; i < seen.size(); ++i) CHECK(seen[i] == static_cast<int32_t>(i));
    CHECK(seen.size() == 3);
  }
  CHECK(all_of(Instances(always, block, 1, Random(0))).empty());
}

TEST_CASE("truncation removes tokens from the front and the back with equal probability") {
  const std::vector<SlowDocument> documents = {{SlowDocument::value_type(10), {100}}, {{10000}}};
  auto filled = documents;
  for (int32_t i = 0; i < 10; ++i) filled[0][0][static_cast<size_t>(i)] = i;
  const auto block = block_of(filled);
  const PairRule rule{.max_length = 3 + 1 + 7, .short_probability = 0, .random_probability = 0};
  std::vector<int64_t> from_front(4);  // of the three removed tokens
  for (uint64_t seed = 0; seed < 20000; ++seed)
    ++from_front[static_cast<size_t>(all_of(Instances(rule, block, 0, Random(seed)))[0].a[0])];
  CHECK(test::agrees(from_front, {0.125, 0.375, 0.375, 0.125}));
}
