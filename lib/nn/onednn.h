// What oneDNN knows of the machine, and what it does to threads.
#pragma once

#include <string>

namespace bert::nn {

enum class Isa { baseline, avx2, avx512 };

// The best set that this machine, and oneDNN's ONEDNN_MAX_CPU_ISA if it is set, allow.
Isa usable_isa();

// Whether it sums up products of bytes exactly whatever they are; else pairs of products have to fit into 16
// bits.
bool has_exact_bytes();

bool has_amx();  // which oneDNN multiplies bf16 by

std::string onednn_version();  // "2.6.3"

// From now on oneDNN computes on the calling thread alone when that calls it.
void compute_here();

}  // namespace bert::nn
