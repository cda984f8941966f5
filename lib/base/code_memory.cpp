#include "base/code_memory.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <new>

#include "base/error.h"

namespace bert {

void require_code_memory() {
  constexpr size_t kBytes = 16 << 20;  // oneDNN 3.7 generates 9 MiB for the first sgemm
  void* const memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  const int error = mprotect(memory, kBytes, PROT_READ | PROT_WRITE | PROT_EXEC) == 0 ? 0 : errno;
  munmap(memory, kBytes);
  if (error == ENOMEM) throw std::bad_alloc();
  if (error != 0)
    throw Error("the system does not allow code generation at run time: ", std::strerror(error));
}

}  // namespace bert
