// Which Unicode the tokenizer follows.
#pragma once

#include <string>

namespace bert::text {

std::string version();  // "ICU 72.1, Unicode 15.0": of the libraries that run, not of the headers

}  // namespace bert::text
