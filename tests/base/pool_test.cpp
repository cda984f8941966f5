#include "base/pool.h"

#include <doctest/doctest.h>

#include <stdexcept>

using bert::Pool;

TEST_CASE("a grid runs every task once, on threads of the pool") {
  for (int threads : {1, 2, 3, 5}) {
    Pool pool(threads);
    for (int round = 0; round < 300; ++round) {
      const int64_t count = round % 70;
      std::vector<std::atomic<int>> runs(static_cast<size_t>(count));
      pool.run_grid(count, [&](int64_t i, int thread) {
        CHECK_MESSAGE((thread >= 0 && thread < threads), "thread ", thread);
        ++runs[static_cast<size_t>(i)];
      });
      for (auto& r : runs) CHECK(r == 1);
    }
  }
}

TEST_CASE("an exception from a grid task is rethrown after all tasks have ended") {
  Pool pool(2);
  std::atomic<int> ended = 0;
  CHECK_THROWS_AS(pool.run_grid(50,
                                [&](int64_t i, int) {
                                  if (i == 7) throw std::runtime_error("seven");
                                  ++ended;
                                }),
                  std::runtime_error);
  CHECK(ended == 49);
}

TEST_CASE("background tasks run beside grids; without workers the calling thread runs them") {
  for (int threads : {1, 3}) {
    Pool pool(threads);
    std::atomic<int> background = 0;
    std::atomic<int> tasks = 0;
    for (int i = 0; i < 100; ++i) {
      pool.submit([&] { ++background; });
      pool.run_grid(4, [&](int64_t, int) { ++tasks; });
    }
    while (background < 100) {
      if (!pool.run_one()) std::this_thread::yield();
    }
    CHECK(tasks == 400);
  }
}
