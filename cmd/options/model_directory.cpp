#include "options/model_directory.h"

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "cli/app.h"
#include "options/installed.h"

namespace bert::cmd {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> find_installed(std::string_view relative) {
  std::error_code error;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  if (error) return std::nullopt;
  return (executable.parent_path() / relative).lexically_normal();
}

fs::path default_model(DefaultModel model, std::string_view ways) {
  const auto directory = find_installed(
      std::string(BERT_MODELS) + (model == DefaultModel::vectors ? "/default-vectors" : "/default-model"));
  std::error_code error;
  if (!directory)
    throw cli::UsageError("no model: ", ways, "; the default model cannot be found without /proc/self/exe");
  if (!fs::is_directory(*directory, error))
    throw cli::UsageError("no model: ", ways, "; there is no default model in ", directory->string());
  return *directory;
}

}  // namespace

fs::path installed(std::string_view relative) {
  const auto path = find_installed(relative);
  if (!path) throw Error("files that are installed with the tools cannot be found without /proc/self/exe");
  return *path;
}

std::string model_directory(const std::string& given, std::string_view ways, DefaultModel model) {
  if (!given.empty()) return given;
  if (const char* const named = std::getenv("BERT_MODEL"); named != nullptr && *named != '\0') return named;
  return default_model(model, ways).string();
}

}  // namespace bert::cmd
