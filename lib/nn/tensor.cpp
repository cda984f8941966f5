#include "nn/tensor.h"

#include <sys/mman.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <new>

#include "nn/blocks.h"

namespace bert::nn {
namespace {

constexpr size_t kHugePage = size_t{1} << 21;
constexpr size_t kBeyond = 64;  // numbers
constexpr size_t kPage = 4096;
// Rows this many numbers apart use the same few sets of the L1 cache, and writing a block of them takes five
// times as long.
constexpr int64_t kSameSets = 1024;
#ifdef __SANITIZE_ADDRESS__
constexpr size_t kGuard = kPage;  // not readable: the sanitizer does not see what oneDNN reads
#else
constexpr size_t kGuard = 0;
#endif

}  // namespace

Memory::Memory(size_t floats) : data_(nullptr, Unmap(0)), size_(floats) {
  if (floats == 0) return;
  size_t bytes = (floats + kBeyond) * sizeof(float);
  const bool huge = bytes >= kHugePage;
  bytes = round_up(bytes, huge ? kHugePage : kPage) + kGuard;
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  if (huge) ::madvise(memory, bytes, MADV_HUGEPAGE);
  if (kGuard > 0) ::mprotect(static_cast<std::byte*>(memory) + bytes - kGuard, kGuard, PROT_NONE);
  data_ = {static_cast<float*>(memory), Unmap(bytes)};
}

void Memory::Unmap::operator()(float* data) const { ::munmap(data, bytes); }

void Tensor::reshape(int64_t rows, int64_t cols) {
  if (is_part_) return assert(rows == rows_ && cols == cols_);
  rows_ = rows;
  cols_ = cols;
  stride_ = round_up(cols, kColumns);
  if (stride_ % kSameSets == 0) stride_ += kColumns;
  const size_t needed = std::max(round_up(rows, kBlockRows) + 4, round_up(rows, kBlockColumns)) * stride_;
  if (needed > memory_.size()) memory_ = Memory(needed);
  numbers_ = memory_.data();
}

Tensor Tensor::part(int64_t first, int64_t rows) const {
  Tensor some;
  some.numbers_ = numbers_ + first * stride_;
  some.rows_ = rows;
  some.cols_ = cols_;
  some.stride_ = stride_;
  some.is_part_ = true;
  return some;
}

void Tensor::copy(const Tensor& from) {
  reshape(from.rows_, from.cols_);
  for (int64_t i = 0; i < rows_; ++i) std::ranges::copy(from.values(i), row(i));
}

}  // namespace bert::nn
