// What the tests of training's kernels share.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "nn/onednn.h"
#include "nn/training_kernels.h"

namespace bert::nn {

// The tables this machine can run.
inline std::vector<const TrainingKernels*> tables() {
  std::vector<const TrainingKernels*> usable = {&kernels_baseline::kTrainingTable};
#if defined(__x86_64__)
  if (usable_isa() >= Isa::avx2) usable.push_back(&kernels_avx2::kTrainingTable);
  if (usable_isa() >= Isa::avx512) usable.push_back(&kernels_avx512::kTrainingTable);
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
