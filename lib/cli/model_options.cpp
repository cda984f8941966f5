#include "cli/model_options.h"

#include <cstdlib>
#include <filesystem>

namespace bert::cli {
namespace {

namespace fs = std::filesystem;

// The relative path from the executable is the same in a build tree and in an installation, even a relocated
// one.
fs::path default_model(std::string_view ways) {
  std::error_code error;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  if (error)
    throw UsageError("no model: ", ways, "; the default model cannot be found without /proc/self/exe");
  auto directory = (executable.parent_path() / BERT_DEFAULT_MODEL).lexically_normal();
  if (!fs::is_directory(directory, error))
    throw UsageError("no model: ", ways, "; there is no default model in ", directory.string());
  return directory;
}

}  // namespace

std::string model_directory(const std::string& given, std::string_view ways) {
  if (!given.empty()) return given;
  if (const char* const named = std::getenv("BERT_MODEL"); named != nullptr && *named != '\0') return named;
  return default_model(ways).string();
}

void dtype_option(App& app, Int8 int8, std::optional<Dtype>& dtype) {
  using Choice = std::pair<std::string_view, std::optional<Dtype>>;
  Choices<std::optional<Dtype>> choices = {
      {"auto", std::nullopt}, {"f32", Dtype::f32}, {"bf16", Dtype::bf16}};
  if (int8 == Int8::yes) choices.push_back(Choice("int8", Dtype::i8));
  app.choice({"--dtype", "", "Number format of the encoder's matrix products."}, choices, dtype);
}

ModelOptions::ModelOptions(App& app) {
  app.section("Model");
  app.option({"-m,--model", "DIR", "Model directory (default: $BERT_MODEL, else the default model)."}, path);
  dtype_option(app, Int8::yes, dtype);
  app.check([this] { path = model_directory(path, "use -m DIR or set BERT_MODEL"); });
}

}  // namespace bert::cli
