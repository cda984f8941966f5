// An allocator for what is large and stays long: it takes pages of its own from the kernel, and gives them
// back. On the heap such blocks would lie between short-lived ones, whose space could then not be given back.
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
  static constexpr size_t kLeastBytes = 64 << 10;  // below, a call of the kernel costs more than it saves
};

}  // namespace bert
