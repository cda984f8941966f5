#include "nn/kernels.h"

#include "nn/onednn.h"
#include "nn/version.h"

namespace bert::nn {
namespace {

const Kernels& pick() {
#if defined(__x86_64__)
  switch (usable_isa()) {
    case Isa::avx512:
      return kernels_avx512::kTable;
    case Isa::avx2:
      return kernels_avx2::kTable;
    case Isa::baseline:
      break;
  }
#endif
  return kernels_baseline::kTable;
}

int64_t round_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

}  // namespace

const Kernels& kernels() {
  static const Kernels& table = pick();
  return table;
}

int64_t attention_scratch(int64_t length, int64_t size) {
  const int64_t whole_length = round_up(length, 16), whole_size = round_up(size, 16);
  return size * whole_length + length * whole_size + kAttentionRows * (whole_length + whole_size);
}

std::string version() { return "oneDNN " + onednn_version() + ", " + kernels().name; }

}  // namespace bert::nn
