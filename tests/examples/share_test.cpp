#include "examples/share.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/random.h"

using namespace bert;
using namespace bert::examples;

namespace {

std::vector<Weight> random_batch(Random& random, int ranks, uint32_t most_tokens) {
  std::vector<Weight> batch(1 + random.below(40));
  for (auto& one : batch)
    one = {1 + random.below(most_tokens), static_cast<int>(random.below(static_cast<uint32_t>(ranks)))};
  return batch;
}

}  // namespace

TEST_CASE("one rank has all examples") {
  Random random(1, {1});
  std::vector<int64_t> loads(1);
  const auto batch = random_batch(random, 1, 50);
  CHECK(share_out(batch, loads) == std::vector<int>(batch.size(), 0));
}

TEST_CASE("ranks get about equal numbers of tokens over all batches of a step") {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed, {1});
    const int ranks = 2 + static_cast<int>(seed % 3);
    std::vector<int64_t> loads(static_cast<size_t>(ranks)), expected = loads;
    int64_t longest = 0;
    for (int i = 0; i < 3; ++i) {
      const auto batch = random_batch(random, ranks, 100);
      const auto owners = share_out(batch, loads);
      REQUIRE(owners.size() == batch.size());
      for (size_t k = 0; k < batch.size(); ++k) {
        expected[static_cast<size_t>(owners[k])] += batch[k].tokens;
        longest = std::max(longest, batch[k].tokens);
      }
      CHECK(loads == expected);
      CHECK(std::ranges::max(loads) - std::ranges::min(loads) <= longest);
    }
  }
}

TEST_CASE("examples of equal length stay with their readers") {
  std::vector<Weight> batch;
  for (int i = 0; i < 12; ++i) batch.push_back({64, (i + 2) % 3});
  std::vector<int64_t> loads(3);
  const auto owners = share_out(batch, loads);
  for (size_t i = 0; i < batch.size(); ++i) CHECK(owners[i] == batch[i].reader);
}
