// What layers compute with: the pool's threads, each thread's scratch memory, and the tile products made so
// far.
#pragma once

#include <cstdint>
#include <vector>

#include "base/pool.h"
#include "nn/tensor.h"

namespace bert::nn {

class Context {
 public:
  explicit Context(Pool& pool) : pool_(pool), scratch_(static_cast<size_t>(pool.size())) {}

  Pool& pool() { return pool_; }

  // At least `floats` numbers for the thread, 64-byte aligned; what it held is lost when it has to grow.
  float* scratch(int thread, int64_t floats) {
    auto& memory = scratch_[static_cast<size_t>(thread)];
    if (memory.size() < static_cast<size_t>(floats)) memory = Memory(static_cast<size_t>(floats));
    return memory.data();
  }

  // The same for all threads together: what one grid prepares for the next.
  float* shared(int64_t floats) {
    if (shared_.size() < static_cast<size_t>(floats)) shared_ = Memory(static_cast<size_t>(floats));
    return shared_.data();
  }

 private:
  Pool& pool_;
  std::vector<Memory> scratch_;
  Memory shared_;
};

}  // namespace bert::nn
