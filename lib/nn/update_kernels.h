// The arithmetic of optimisers on flat arrays: one table of loops for each instruction set, as in kernels.h.
#pragma once

#include <cstdint>

#include "nn/kernels.h"

namespace bert::nn {

struct UpdateKernels {
  const char* name;
};

const UpdateKernels& update_kernels();  // the table for this machine, as kernels()

namespace kernels_baseline {
extern const UpdateKernels kUpdateTable;
}
#if defined(__x86_64__)
namespace kernels_avx2 {
extern const UpdateKernels kUpdateTable;
}
namespace kernels_avx512 {
extern const UpdateKernels kUpdateTable;
}
#endif

}  // namespace bert::nn
