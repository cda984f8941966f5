#include "base/pool.h"

#include <sched.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <fstream>
#include <string>
#include <system_error>

#include "base/error.h"
#include "base/signals.h"

namespace bert {
namespace {

// How long an idle worker spins before it sleeps: longer than the gap between two grids of one forward pass,
// short enough to leave the core to the other processes of a pipeline.
constexpr auto kSpin = std::chrono::microseconds(50);

// Parts into which the tasks left in a grid are divided, for each thread.
constexpr int64_t kParts = 4;

// If the system does not let all workers start, this many are ended again, because reading and writing
// streams need a thread each.
constexpr int kSpared = 2;

// A thread that has just ended still counts toward the system's limit for a short time.
constexpr int kAttempts = 10;

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// The cgroup quota in whole CPUs, at least 1; `fallback` if there is none.
int quota_threads(int fallback) {
  double quota = -1, period = 0;
  std::string word;
  if (std::ifstream v2("/sys/fs/cgroup/cpu.max"); v2 >> word >> period) {
    if (word != "max") quota = std::stod(word);
  } else if (std::ifstream v1("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"); v1 >> quota) {
    std::ifstream("/sys/fs/cgroup/cpu/cpu.cfs_period_us") >> period;
  }
  if (quota <= 0 || period <= 0) return fallback;
  return std::max(1, static_cast<int>(quota / period));
}

}  // namespace

// What all threads read is apart from what they change.
struct Pool::Grid {
  const std::function<void(int64_t, int)>& f;
  int64_t count;
  int64_t parts;  // a thread takes 1/parts of the tasks that are left
  alignas(64) std::atomic<int64_t> next = 0;
  alignas(64) std::mutex mutex;
  std::exception_ptr error;
  int64_t failed = count;  // the first task with an error
};

Pool::Pool(int threads) : limit_(threads - 1) {
  assert(threads >= 1);
  workers_.reserve(limit_);
  while (size() < threads) {
    try {
      workers_.emplace_back([this, thread = size()] { work(thread); });
    } catch (const std::system_error&) {
      retire(kSpared);
      return;
    }
  }
}

void Pool::retire(int count) {
  const int left = std::max(0, size() - 1 - count);
  {
    const std::lock_guard lock(mutex_);
    limit_ = left;
  }
  wake_.notify_all();
  for (; size() - 1 > left; workers_.pop_back()) workers_.back().join();
}

std::thread start_thread(std::function<void()> body) {
  for (int attempts = 1;; ++attempts) {
    try {
      return std::thread(body);
    } catch (const std::system_error& error) {
      if (attempts == kAttempts) throw Error("a thread cannot be started: ", error.code().message());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

Pool::~Pool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (auto& worker : workers_) worker.join();
}

// A worker counts itself as a visitor before it reads grid_, and the driver clears grid_ before it reads the
// number of visitors. So when the driver sees no visitors, no worker holds a pointer to the grid on its
// stack. The driver clears grid_ with an exchange because qemu 7.2, emulating arm64 on x86, lets a load
// overtake an earlier store even if both are sequentially consistent.
void Pool::run_grid(int64_t count, const std::function<void(int64_t, int)>& f) {
  if (count <= 0) return;
  Grid grid{.f = f, .count = count, .parts = kParts * size()};
  if (count > 1 && !workers_.empty()) {
    grid_ = &grid;
    ++grid_number_;
    if (sleepers_ > 0) {
      { const std::lock_guard lock(mutex_); }
      wake_.notify_all();
    }
  }
  take_tasks(grid, 0);
  grid_.exchange(nullptr);
  for (int spins = 0; grid_visitors_ > 0; ++spins) {
    if (spins < 10000) {
      pause_briefly();
    } else {
      std::this_thread::yield();
    }
  }
  if (grid.error) std::rethrow_exception(grid.error);
}

// Takes several tasks at once while many are left, because each access to a number that others change, too,
// takes as long as a small task.
void Pool::take_tasks(Grid& grid, int thread) {
  for (;;) {
    const int64_t left = grid.count - grid.next.load(std::memory_order_relaxed);
    const int64_t taken = std::max<int64_t>(1, left / grid.parts);
    int64_t i = grid.next.fetch_add(taken, std::memory_order_relaxed);
    if (i >= grid.count) return;
    for (const int64_t end = std::min(i + taken, grid.count); i < end; ++i) {
      try {
        grid.f(i, thread);
      } catch (...) {
        const std::lock_guard lock(grid.mutex);
        if (i >= grid.failed) continue;
        grid.failed = i;
        grid.error = std::current_exception();
      }
    }
  }
}

void Pool::submit(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    background_.push_back(std::move(task));
  }
  wake_.notify_one();
}

bool Pool::run_one() {
  std::function<void()> task;
  {
    const std::lock_guard lock(mutex_);
    if (background_.empty()) return false;
    task = std::move(background_.front());
    background_.pop_front();
  }
  task();
  return true;
}

void Pool::work(int thread) {
  const SignalStack stack;
  using Clock = std::chrono::steady_clock;
  uint64_t seen = 0;
  auto idle_since = Clock::now();
  for (;;) {
    const uint64_t number = grid_number_;
    if (number != seen) {
      seen = number;
      ++grid_visitors_;
      if (Grid* grid = grid_) take_tasks(*grid, thread);
      --grid_visitors_;
    } else if (!run_one()) {
      if (Clock::now() - idle_since < kSpin) {
        pause_briefly();
        continue;
      }
      std::unique_lock lock(mutex_);
      ++sleepers_;
      wake_.wait(
          lock, [&] { return stopping_ || thread > limit_ || !background_.empty() || grid_number_ != seen; });
      --sleepers_;
      if (stopping_ || thread > limit_) return;
    }
    idle_since = Clock::now();
  }
}

int available_threads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int count = std::thread::hardware_concurrency();
  if (sched_getaffinity(0, sizeof set, &set) == 0) count = CPU_COUNT(&set);
  return std::max(1, std::min(count, quota_threads(count)));
}

}  // namespace bert
