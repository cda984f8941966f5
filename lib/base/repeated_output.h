// Commands that find and xargs run: each of several would replace the output of the one before.
#pragma once

#include <string>

namespace bert {

// Throws Error if `path` is a file that was written since the parent of this process began, which is one of
// these programs.
void refuse_repeated_output(const std::string& path);

}  // namespace bert
