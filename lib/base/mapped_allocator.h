// Allocator for large, long-lived blocks. It maps pages directly and unmaps them when freed. On the heap such
// blocks would sit between short-lived ones and keep that memory from being returned to the system.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace bert {

template <class T>
struct MappedAllocator {
  using value_type = T;

  MappedAllocator() = default;
  template <class U>
  MappedAllocator(const MappedAllocator<U>&) {}

  T* allocate(size_t count) {
    const size_t bytes = count * sizeof(T);
    if (bytes < kLeastBytes) return static_cast<T*>(::operator new(bytes));
    void* const pages = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    return static_cast<T*>(pages);
  }
  void deallocate(T* block, size_t count) {
    const size_t bytes = count * sizeof(T);
    if (bytes < kLeastBytes) return ::operator delete(block);
    ::munmap(block, bytes);
  }

  template <class U>
  bool operator==(const MappedAllocator<U>&) const {
    return true;
  }

 private:
  static constexpr size_t kLeastBytes = 64 << 10;  // for smaller blocks the heap is cheaper
};

}  // namespace bert
