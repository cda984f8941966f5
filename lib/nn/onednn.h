// oneDNN, the only place that knows it. Products in f32 are our own (kernels.h): on the same panels they are
// as fast as its AVX-512 kernels, keep more precision because long sums are cut, and give a row the same bits
// for every number of rows on all instruction sets, which oneDNN 2 does on AVX-512 alone.
#pragma once

#include <string>

namespace bert::nn {

enum class Isa { baseline, avx2, avx512 };

// The best set that this machine, and oneDNN's ONEDNN_MAX_CPU_ISA if it is set, allow.
Isa usable_isa();

std::string onednn_version();  // "2.6.3"

}  // namespace bert::nn
