// oneDNN's view of the machine, and its use of threads.
#pragma once

#include <string>

namespace bert::nn {

enum class Isa { baseline, avx2, avx512 };

// The best instruction set that this machine and oneDNN's ONEDNN_MAX_CPU_ISA, if set, allow.
Isa usable_isa();

// Whether the Kernels add products of bytes exactly for all inputs (VNNI). If not, pairs of products must fit
// into 16 bits.
bool has_exact_bytes();

bool has_bf16_products();  // AVX512_BF16
bool has_amx();            // used by oneDNN for bf16

std::string onednn_version();  // "2.6.3"

// Makes oneDNN run single-threaded when called from this thread.
void compute_here();

}  // namespace bert::nn
