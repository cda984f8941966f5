// Compute libraries and instruction set, for the --version of tools without access to lib/nn.
#pragma once

#include <string>

namespace bert::predict {

std::string version();  // "oneDNN 2.6.3, AVX-512"

}  // namespace bert::predict
