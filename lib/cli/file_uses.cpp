#include "cli/file_uses.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <system_error>

#include "base/output_file.h"
#include "cli/app.h"

namespace bert::cli {
std::string identity(const std::string& path, int standard) {
  struct stat info;
  if ((path == "-" ? ::fstat(standard, &info) : ::stat(path.c_str(), &info)) == 0)
    return S_ISREG(info.st_mode) ? std::to_string(info.st_dev) + ":" + std::to_string(info.st_ino) : "";
  std::error_code error;
  return path == "-" ? "" : std::filesystem::weakly_canonical(std::filesystem::absolute(path), error);
}

namespace {

std::string text(const FileUse& output) {
  return output.path == "-" ? "stdout" : output.option + " " + output.path;
}

[[noreturn]] void refuse(const FileUse& output, const FileUse& input) {
  const std::string name = input.path == output.path ? "" : " " + input.path;
  const std::string what = input.path == "-"      ? "the file on stdin"
                           : input.option.empty() ? "the input" + name
                                                  : "the file" + name + " that " + input.option + " reads";
  const bool emptied = output.path == "-" && ::lseek(STDOUT_FILENO, 0, SEEK_END) == 0;
  throw UsageError(text(output), " is ", what, ", which ",
                   emptied              ? "the shell has emptied; name another file"
                   : output.path == "-" ? "would be overwritten"
                                        : "would be replaced");
}

}  // namespace

void check_outputs(std::span<const FileUse> inputs, std::span<const FileUse> outputs) {
  std::map<std::string, const FileUse*> written;
  for (const FileUse& output : outputs) {
    const auto place = identity(output.path, STDOUT_FILENO);
    if (place.empty()) continue;
    const auto [other, is_new] = written.emplace(place, &output);
    if (is_new || (names_stdout(output.path) && names_stdout(other->second->path))) continue;
    throw UsageError(other->second->path == "-" ? "stdout" : other->second->option, " and ",
                     output.path == "-" ? "stdout" : output.option, " are both ",
                     output.path == "-" ? other->second->path : output.path);
  }
  if (written.empty()) return;
  for (const FileUse& input : inputs) {
    const auto output = written.find(identity(input.path, STDIN_FILENO));
    if (output != written.end() && (input.option.empty() || input.option != output->second->option))
      refuse(*output->second, input);
  }
}

}  // namespace bert::cli
