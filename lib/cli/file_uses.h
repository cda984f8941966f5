// Which files the options of a command line make a tool read and write, so that none is lost.
#pragma once

#include <span>
#include <string>

namespace bert::cli {

struct FileUse {
  std::string option;  // "--index"; "": FILE...
  std::string path;    // "-": stdin or stdout
};

// Equal for all names of one file; "" if it is no regular file. A file that does not exist yet has its path.
// "-" is the file descriptor `standard`.
std::string identity(const std::string& path, int standard);

// Throws UsageError if an output is an input as well, or two outputs are one file, also through links or
// redirection. An option may read the file that it also writes. Devices and pipes are of no concern.
void check_outputs(std::span<const FileUse> inputs, std::span<const FileUse> outputs);

}  // namespace bert::cli
