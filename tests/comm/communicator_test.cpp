#include "comm/communicator.h"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstring>

#include "base/random.h"
#include "base/signals.h"
#include "comm/memory_transport.h"

using namespace bert;
using namespace bert::comm;

namespace {

// Numbers of very different sizes, so that the order of a sum shows in its bits.
std::vector<float> numbers_of(int rank, size_t count) {
  Random random(7, {static_cast<uint64_t>(rank)});
  std::vector<float> numbers(count);
  for (auto& number : numbers) {
    const int exponent = static_cast<int>(random.below(20)) - 10;
    number = std::ldexp(static_cast<float>(random.below(1 << 20)) - (1 << 19), exponent);
  }
  return numbers;
}

std::vector<Piece> pieces_of(std::vector<float>& numbers, int ranks) {
  std::vector<Piece> pieces;
  Random random(3, {1});
  for (size_t at = 0; at < numbers.size();) {
    const auto count = std::min<size_t>(64 * (1 + random.below(40)), numbers.size() - at);
    pieces.push_back({.numbers = numbers.data() + at,
                      .count = static_cast<int64_t>(count),
                      .owner = static_cast<int>(random.below(static_cast<uint32_t>(ranks)))});
    at += count;
  }
  return pieces;
}

bool same_bits(const float* a, const float* b, int64_t count) {
  return std::memcmp(a, b, static_cast<size_t>(count) * sizeof(float)) == 0;
}

}  // namespace

TEST_CASE("a single process is rank 0 of 1, and operations return its own values") {
  Communicator alone;
  CHECK(alone.size() == 1);
  CHECK(alone.is_first());
  CHECK(alone.all_gather("x") == std::vector<std::string>{"x"});
  CHECK(alone.broadcast("y") == "y");
  CHECK(alone.scatter({"z"}) == "z");
  std::array<double, 2> numbers = {1, 2};
  alone.sum(numbers);
  CHECK(numbers == std::array<double, 2>{1, 2});
  alone.wait();
  alone.close();
}

TEST_CASE("texts of all ranks are gathered in their order, empty and large ones, too") {
  for (const int size : {2, 3, 5}) {
    std::atomic<int> right = 0;
    run_ranks(size, [&](Communicator& ranks) {
      for (int round = 0; round < 20; ++round) {
        const auto text_of = [&](int rank) {
          return std::string(static_cast<size_t>(rank * round * 1000), static_cast<char>('a' + rank));
        };
        const auto all = ranks.all_gather(text_of(ranks.rank()));
        bool equal = all.size() == static_cast<size_t>(size);
        for (int rank = 0; rank < size; ++rank)
          equal = equal && all[static_cast<size_t>(rank)] == text_of(rank);
        right += equal && ranks.broadcast(ranks.is_first() ? "from 0" : "not sent") == "from 0";
        std::vector<std::string> texts;
        for (int rank = 0; rank < size && ranks.is_first(); ++rank) texts.push_back(text_of(rank));
        right += ranks.scatter(std::move(texts)) == text_of(ranks.rank());
      }
    });
    CHECK(right == 40 * size);
  }
}

TEST_CASE("sums are added in the order of the ranks, at the owner of each piece") {
  constexpr size_t kCount = 64 * 1000;
  for (const int size : {2, 3, 4}) {
    std::vector<float> expected = numbers_of(0, kCount);
    for (int rank = 1; rank < size; ++rank) {
      const auto more = numbers_of(rank, kCount);
      for (size_t i = 0; i < kCount; ++i) expected[i] += more[i];
    }
    std::atomic<int> wrong = 0, owned = 0;
    run_ranks(size, [&](Communicator& ranks) {
      for (int round = 0; round < 3; ++round) {
        auto numbers = numbers_of(ranks.rank(), kCount);
        const auto pieces = pieces_of(numbers, size);
        // In parts, as backward finishes its layers.
        const auto middle = pieces.begin() + static_cast<std::ptrdiff_t>(pieces.size() / 3);
        ranks.start_sum({pieces.begin(), middle});
        ranks.start_sum({middle, pieces.end()});
        ranks.wait();
        for (const auto& piece : pieces) {
          if (piece.owner != ranks.rank()) continue;
          ++owned;
          wrong += !same_bits(piece.numbers, expected.data() + (piece.numbers - numbers.data()), piece.count);
        }
        ranks.share(pieces);
        wrong += !same_bits(numbers.data(), expected.data(), kCount);
      }
    });
    CHECK(wrong == 0);
    CHECK(owned > 0);
  }
}

TEST_CASE("rank 0 collects pieces from their owners") {
  std::atomic<int> right = 0;
  run_ranks(3, [&](Communicator& ranks) {
    std::vector<float> numbers(640, static_cast<float>(ranks.rank()));
    std::vector<Piece> pieces;
    for (int i = 0; i < 10; ++i)
      pieces.push_back({.numbers = numbers.data() + 64 * i, .count = 63, .owner = i % 3});
    ranks.collect(pieces);
    for (int i = 0; i < 10; ++i) {
      const auto expected = static_cast<float>(ranks.is_first() ? i % 3 : ranks.rank());
      right += numbers[static_cast<size_t>(64 * i)] == expected &&
               numbers[static_cast<size_t>(64 * i + 63)] == static_cast<float>(ranks.rank());
    }
  });
  CHECK(right == 30);
}

TEST_CASE("doubles are summed in the order of the ranks") {
  std::atomic<int> right = 0;
  run_ranks(3, [&](Communicator& ranks) {
    constexpr std::array<double, 3> kParts = {1e16, 1, -1e16};  // another order gives another sum
    std::array<double, 2> numbers = {kParts[static_cast<size_t>(ranks.rank())], 0.5};
    ranks.sum(numbers);
    right += numbers[0] == 1e16 + 1 - 1e16 && numbers[1] == 1.5;
  });
  CHECK(right == 3);
}

TEST_CASE("an error of `open` is thrown by the constructor") {
  CHECK_THROWS_WITH(
      Communicator({.open = []() -> std::unique_ptr<Transport> { throw std::runtime_error("no"); },
                    .report = {},
                    .end = {}}),
      "no");
}

TEST_CASE("a failure ends all ranks with its status, and one of them reports it") {
  constexpr int kRanks = 3;
  const auto wires = std::make_shared<Wires>();
  std::mutex mutex;
  std::vector<std::string> messages;
  std::vector<int> statuses;
  std::vector<std::jthread> threads;
  const auto run = [&](int rank) {
    Communicator ranks({.open = [&] { return std::make_unique<MemoryTransport>(wires, rank, kRanks); },
                        .report =
                            [&](const std::string& message) {
                              const std::lock_guard lock(mutex);
                              messages.push_back(message);
                            },
                        .end =
                            [&](int status) {
                              const std::lock_guard lock(mutex);
                              statuses.push_back(status);
                            }});
    if (rank == 2) {
      ranks.fail(7, "no");
    } else {
      (void)ranks.all_gather("");
    }
  };
  threads.emplace_back([&] { run(2); });
  for (const int rank : {0, 1})
    threads.emplace_back([&, rank] { CHECK_THROWS_WITH(run(rank), "the run of all ranks has ended"); });
  threads.clear();
  REQUIRE(messages.size() == 1);
  CHECK(messages[0] == "rank 2 (" + Communicator::host() + "): no");
  CHECK(statuses == std::vector{7, 7, 7});
}
