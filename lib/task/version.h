// What the network computes with, for --version of tools, which do not see lib/nn.
#pragma once

#include <string>

namespace bert::task {

std::string version();  // "oneDNN 2.6.3, AVX-512"

}  // namespace bert::task
