#include "nn/kernels.h"

#include "nn/onednn.h"
#include "nn/training_kernels.h"
#include "nn/update_kernels.h"
#include "nn/version.h"

namespace bert::nn {
namespace {

template <class Table>
const Table& pick([[maybe_unused]] const Table& avx512, [[maybe_unused]] const Table& avx2,
                  const Table& baseline) {
#if defined(__x86_64__)
  if (usable_isa() == Isa::avx512) return avx512;
  if (usable_isa() == Isa::avx2) return avx2;
#endif
  return baseline;
}

#if !defined(__x86_64__)
namespace kernels_avx2 = kernels_baseline;
namespace kernels_avx512 = kernels_baseline;
#endif

int64_t round_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

bool bf16_is_used = false;

const Kernels& bf16_table() {
#if defined(__x86_64__)
  static const Kernels table = kernels_bf16::table();
  return table;
#else
  return kernels_baseline::kTable;
#endif
}

}  // namespace

const Kernels& kernels() {
  static const Kernels& table = pick(kernels_avx512::kTable, kernels_avx2::kTable, kernels_baseline::kTable);
  return bf16_is_used ? bf16_table() : table;
}

bool has_bf16() {
#if defined(__x86_64__)
  return usable_isa() == Isa::avx512 && __builtin_cpu_supports("avx512bf16");
#else
  return false;
#endif
}

void use_bf16() { bf16_is_used = true; }

const TrainingKernels& training_kernels() {
  static const TrainingKernels& table =
      pick(kernels_avx512::kTrainingTable, kernels_avx2::kTrainingTable, kernels_baseline::kTrainingTable);
  return table;
}

const UpdateKernels& update_kernels() {
  static const UpdateKernels& table =
      pick(kernels_avx512::kUpdateTable, kernels_avx2::kUpdateTable, kernels_baseline::kUpdateTable);
  return table;
}

int64_t attention_scratch(int64_t length, int64_t size) {
  const int64_t whole_length = round_up(length, 16), whole_size = round_up(size, 16);
  return size * whole_length + length * whole_size + kAttentionRows * (whole_length + whole_size);
}

int64_t gradient_scratch(int64_t cols) {
  return kLongestPart * (kGradientRows + round_up(cols, kPanelWidth)) + kGradientRows * kPanelWidth;
}

std::string version() { return "oneDNN " + onednn_version() + ", " + kernels().name; }

}  // namespace bert::nn
