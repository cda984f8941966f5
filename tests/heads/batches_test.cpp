#include "heads/batches.h"

#include <doctest/doctest.h>

#include <random>

#include "base/error.h"

using namespace bert::heads;
using bert::features::Features;

namespace {

// A sequence whose ids are its number.
Features sequence(int32_t number, size_t length) {
  Features features;
  features.ids.assign(length, number);
  features.types.assign(length, number % 2);
  return features;
}

}  // namespace

TEST_CASE("batches hold every sequence once, in order, within the budget except for one long sequence") {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::vector<Features> all;
    for (size_t n = random() % 30; n > 0; --n) {
      all.push_back(sequence(static_cast<int32_t>(all.size()), 1 + random() % 20));
    }
    std::vector<const Features*> views;
    for (const Features& features : all) views.push_back(&features);
    const int64_t budget = 1 + static_cast<int64_t>(random() % 40);
    size_t next = 0;
    int64_t before = 0;
    run_in_batches(views, budget, [&](const bert::nn::Batch& batch, size_t first) {
      REQUIRE(first == next);
      REQUIRE((batch.tokens() <= budget || batch.sequences() == 1));
      // Batches are full: the first sequence of this batch did not fit into the one before.
      if (first > 0) REQUIRE(before + batch.length(0) > budget);
      for (int64_t s = 0; s < batch.sequences(); ++s, ++next) {
        REQUIRE(batch.length(s) == static_cast<int64_t>(all[next].ids.size()));
        for (int64_t t = batch.offsets[static_cast<size_t>(s)]; t < batch.offsets[static_cast<size_t>(s) + 1];
             ++t) {
          REQUIRE(batch.ids[static_cast<size_t>(t)] == static_cast<int32_t>(next));
          REQUIRE(batch.types[static_cast<size_t>(t)] == static_cast<int32_t>(next) % 2);
        }
      }
      before = batch.tokens();
    });
    REQUIRE(next == all.size());
  }
}

TEST_CASE("ids, types and lengths that the network cannot read are named in the error") {
  const bert::model::Config config = {.vocab_size = 10, .positions = 4, .types = 2};
  const auto error = [&](std::vector<int32_t> ids, std::vector<int32_t> types) {
    Features features;
    features.ids = std::move(ids);
    features.types = std::move(types);
    try {
      require_readable(features, config);
    } catch (const bert::Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK(error({0, 9}, {0, 1}) == "");
  CHECK(error({}, {}) == "input_ids is empty, expected at least one token");
  CHECK(error({1, 10}, {0, 0}) == "token 1 has id 10, expected 0 to 9");
  CHECK(error({-1}, {0}) == "token 0 has id -1, expected 0 to 9");
  CHECK(error({1, 2}, {0, 2}) == "token 1 has type 2, expected 0 to 1");
  CHECK(error({1, 1, 1, 1, 1}, {0, 0, 0, 0, 0}) == "the sequence has 5 tokens, the model reads at most 4");
}

TEST_CASE("a requested length may exceed the directory's limit, up to the number of positions") {
  const bert::model::Config config = {.positions = 512};
  CHECK(sequence_limit({}, 128, config) == 128);
  CHECK(sequence_limit(256, 128, config) == 256);
  CHECK_THROWS_AS(sequence_limit(513, 128, config), bert::Error);
}
