// Shared by the kernel tests.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "nn/kernels/kernels.h"
#include "nn/onednn.h"

namespace bert::nn {

// The kernel tables that this machine can run.
inline std::vector<const Kernels*> tables() {
  std::vector<const Kernels*> usable = {&kernels_baseline::kTable};
#if defined(__x86_64__)
  if (usable_isa() >= Isa::avx2) usable.push_back(&kernels_avx2::kTable);
  if (usable_isa() >= Isa::avx512) usable.push_back(&kernels_avx512::kTable);
  if (usable_kernels().attend_bf16 != nullptr) usable.push_back(&usable_kernels());
#endif
  return usable;
}

inline std::vector<float> normal_numbers(std::mt19937& random, int64_t count, float deviation = 1) {
  std::normal_distribution<float> normal(0, deviation);
  std::vector<float> numbers(static_cast<size_t>(count));
  for (float& number : numbers) number = normal(random);
  return numbers;
}

}  // namespace bert::nn
