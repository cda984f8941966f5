// The versions of ICU and Unicode in use.
#pragma once

#include <string>

namespace bert::text {

std::string version();  // "ICU 72.1, Unicode 15.0": of the loaded library, not of the headers

}  // namespace bert::text
