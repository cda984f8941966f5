#include "options/model_directory.h"

#include <cstdlib>
#include <filesystem>

#include "cli/app.h"

namespace bert::cmd {
namespace {

namespace fs = std::filesystem;

// The relative path from the executable is the same in a build tree and in an installation, even a relocated
// one.
fs::path default_model(std::string_view ways) {
  std::error_code error;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  if (error)
    throw cli::UsageError("no model: ", ways, "; the default model cannot be found without /proc/self/exe");
  auto directory = (executable.parent_path() / BERT_DEFAULT_MODEL).lexically_normal();
  if (!fs::is_directory(directory, error))
    throw cli::UsageError("no model: ", ways, "; there is no default model in ", directory.string());
  return directory;
}

}  // namespace

std::string model_directory(const std::string& given, std::string_view ways) {
  if (!given.empty()) return given;
  if (const char* const named = std::getenv("BERT_MODEL"); named != nullptr && *named != '\0') return named;
  return default_model(ways).string();
}

}  // namespace bert::cmd
