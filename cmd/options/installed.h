// Files that are installed with the tools.
#pragma once

#include <filesystem>
#include <string_view>

namespace bert::cmd {

// `relative` to the folder of the executable: the same in a build tree and in an installation, even a
// relocated one. Throws Error without /proc.
std::filesystem::path installed(std::string_view relative);

}  // namespace bert::cmd
