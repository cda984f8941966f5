#include "nn/onednn.h"

#include <dnnl.h>

// From the OpenMP library that oneDNN uses. Compilers have its header in different places.
extern "C" void omp_set_num_threads(int);

namespace bert::nn {
namespace {

bool knows(dnnl_cpu_isa_t isa) { return (dnnl_get_effective_cpu_isa() & isa) == isa; }

}  // namespace

void compute_here() { [[maybe_unused]] thread_local const bool done = (omp_set_num_threads(1), true); }

Isa usable_isa() {
  static const Isa isa = knows(dnnl_cpu_isa_avx512_core) ? Isa::avx512
                         : knows(dnnl_cpu_isa_avx2)      ? Isa::avx2
                                                         : Isa::baseline;
  return isa;
}

bool has_exact_bytes() { return knows(dnnl_cpu_isa_avx512_core_vnni) || knows(dnnl_cpu_isa_avx2_vnni); }
bool has_bf16_products() { return knows(dnnl_cpu_isa_avx512_core_bf16); }
bool has_amx() { return knows(dnnl_cpu_isa_avx512_core_amx); }

std::string onednn_version() {
  const auto* version = dnnl_version();
  return std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
         std::to_string(version->patch);
}

}  // namespace bert::nn
