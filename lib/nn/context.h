// Resources of layers: the thread pool, kernels, scratch memory for each thread, and shared memory.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/pool.h"
#include "nn/kernels/kernels.h"
#include "nn/tensor.h"

namespace bert::nn {

class Context {
 public:
  explicit Context(Pool& pool, const Kernels& kernels = usable_kernels())
      : pool_(pool), kernels_(kernels), scratch_(pool.size()), alone_(pool.size()) {}

  Pool& pool() { return pool_; }
  const Kernels& kernels() const { return kernels_; }

  // At least `floats` numbers for this thread, 64-byte aligned. The contents are lost if it has to grow.
  float* scratch(int thread, int64_t floats) {
    auto& memory = scratch_[thread];
    if (memory.size() < static_cast<size_t>(floats)) memory = Memory(static_cast<size_t>(floats));
    return memory.data();
  }

  // The same, shared by all threads, for data that one grid prepares for the next.
  float* shared(int64_t floats) {
    if (shared_.size() < static_cast<size_t>(floats)) shared_ = Memory(static_cast<size_t>(floats));
    return shared_.data();
  }
  // Resources of one of the threads, for what it computes alone in a task of a grid.
  Context& alone(int thread);

 private:
  struct Alone;

  Pool& pool_;
  const Kernels& kernels_;
  std::vector<Memory> scratch_;
  Memory shared_;
  std::vector<std::unique_ptr<Alone>> alone_;
};

struct Context::Alone {
  explicit Alone(const Kernels& kernels) : context(pool, kernels) {}
  Pool pool{1};
  Context context;
};

inline Context& Context::alone(int thread) {
  auto& its = alone_[thread];
  if (its == nullptr) its = std::make_unique<Alone>(kernels_);
  return its->context;
}

}  // namespace bert::nn
