#include "nn/onednn.h"

#include <dnnl.h>

namespace bert::nn {

Isa usable_isa() {
  const auto isa = dnnl_get_effective_cpu_isa();
  if ((isa & dnnl_cpu_isa_avx512_core) == dnnl_cpu_isa_avx512_core) return Isa::avx512;
  if ((isa & dnnl_cpu_isa_avx2) == dnnl_cpu_isa_avx2) return Isa::avx2;
  return Isa::baseline;
}

std::string onednn_version() {
  const auto* version = dnnl_version();
  return std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
         std::to_string(version->patch);
}

}  // namespace bert::nn
