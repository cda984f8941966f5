// The threads that compute: the driver, which is the thread that made the pool, and size()-1 workers.
//
// There are two kinds of work. A *grid* is many small independent tasks that the driver wants done before it
// goes on (the tiles of one matrix product); all threads share it and the driver works along. A *background
// task* stands by itself (tokenize the next chunk, format the last); workers run one when no grid has a task
// left, the driver when it lends itself by run_one(). A task never waits for another, so no number of threads
// can deadlock.
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
  // Starts threads - 1 workers; threads >= 1. Where the system does not let all of them start, two fewer than
  // it lets start, for the threads that others need.
  explicit Pool(int threads);
  ~Pool();  // background tasks not yet begun are dropped
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  int size() const { return static_cast<int>(workers_.size()) + 1; }

  // Runs f(i, thread) for every i in [0, count), thread in [0, size()) naming who runs it, and returns when
  // all are done; the first exception is thrown here. Driver only; grids do not nest.
  void run_grid(int64_t count, const std::function<void(int64_t, int)>& f);

  // Queues a background task; any thread may. The task must not throw.
  void submit(std::function<void()> task);

  // Runs one background task on the calling thread; false when there is none.
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
  int limit_;  // the last worker that goes on; guarded by mutex_
};

// A thread; an Error when the system does not let it start.
std::thread start_thread(std::function<void()> body);

// The number of threads the machine lends us: the smaller of CPU affinity and the cgroup's CPU quota, at
// least 1.
int available_threads();

}  // namespace bert
