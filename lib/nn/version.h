// What this build computes with, for --version.
#pragma once

#include <string>

namespace bert::nn {

std::string version();  // "oneDNN 2.6.3, AVX-512"

}  // namespace bert::nn
