// Thread pool for computation: the driver, which is the thread that created the pool, and size()-1 workers.
//
// There are two kinds of work. A *grid* is a set of small independent tasks that the driver needs finished
// before it continues (the tiles of one matrix product); all threads share it, the driver included. A
// *background task* is independent (tokenize the next chunk, format the last one); workers run one when no
// grid task is left, the driver when it calls run_one(). A task never waits for another one, so the pool
// cannot deadlock with any number of threads.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace bert {

class Pool {
 public:
  // Starts threads - 1 workers; threads >= 1. If the system does not let all of them start, keeps two fewer
  // than started, so that other code can still start threads.
  explicit Pool(int threads);
  ~Pool();  // drops background tasks that have not started
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  int size() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls f(i, thread) for every i in [0, count) and returns when all calls are done; `thread` in [0, size())
  // is the calling thread's number. Rethrows the first exception. Driver only; grids do not nest.
  void run_grid(int64_t count, const std::function<void(int64_t, int)>& f);

  // Queues a background task. Any thread may call it. The task must not throw.
  void submit(std::function<void()> task);

  // Runs one background task on the calling thread; false if there is none.
  bool run_one();

 private:
  struct Grid;
  void work(int thread);
  void retire(int count);
  void take_tasks(Grid& grid, int thread);

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> background_;
  std::atomic<Grid*> grid_ = nullptr;
  std::atomic<uint64_t> grid_number_ = 0;
  std::atomic<int> grid_visitors_ = 0;
  std::atomic<int> sleepers_ = 0;
  bool stopping_ = false;
  int limit_;  // number of the last worker to keep; guarded by mutex_
};

// Starts a thread; Error if the system refuses.
std::thread start_thread(std::function<void()> body);

// Number of threads available to the process: the smaller of CPU affinity and the cgroup's CPU quota, at
// least 1.
int available_threads();

}  // namespace bert
