// What --version and -v say of the computation, for tools without access to lib/nn.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/dtype.h"

namespace bert::heads {

std::string version();  // compute libraries and instruction set: "oneDNN 2.6.3, AVX-512"

// A run, for -v.
struct RunNote {
  std::string_view model;  // directory
  std::string purpose;     // "task classify", "pooling mean"
  int64_t max_length;      // in tokens
  Dtype dtype;             // of matrix products
  int threads;
};

// "model DIR, task classify, at most 128 tokens, f32 (sgemm), 2 threads, oneDNN 2.6.3, AVX-512"
std::string described(const RunNote& note);

}  // namespace bert::heads
