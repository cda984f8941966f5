// The tables of optimiser kernels that this machine can run.
#pragma once

#include <vector>

#include "nn/onednn.h"
#include "nn/update_kernels.h"

namespace bert::test {

inline std::vector<const nn::UpdateKernels*> update_tables() {
  std::vector<const nn::UpdateKernels*> usable = {&nn::kernels_baseline::kUpdateTable};
#if defined(__x86_64__)
  if (nn::usable_isa() >= nn::Isa::avx2) usable.push_back(&nn::kernels_avx2::kUpdateTable);
  if (nn::usable_isa() >= nn::Isa::avx512) usable.push_back(&nn::kernels_avx512::kUpdateTable);
#endif
  return usable;
}

}  // namespace bert::test
