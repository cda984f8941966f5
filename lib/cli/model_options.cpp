#include "cli/model_options.h"

#include <cstdlib>
#include <filesystem>

namespace bert::cli {
namespace {

namespace fs = std::filesystem;

// The same way from the executable in a build tree and in an installation, wherever that was moved to.
fs::path default_model(std::string_view ways) {
  std::error_code error;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  if (error) throw UsageError("no model: ", ways, "; the default one is not found without /proc/self/exe");
  auto directory = (executable.parent_path() / BERT_DEFAULT_MODEL).lexically_normal();
  if (!fs::is_directory(directory, error))
    throw UsageError("no model: ", ways, "; the default one is not at ", directory.string());
  return directory;
}

}  // namespace

std::string model_directory(const std::string& given, std::string_view ways) {
  if (!given.empty()) return given;
  if (const char* const named = std::getenv("BERT_MODEL"); named != nullptr && *named != '\0') return named;
  return default_model(ways).string();
}

void dtype_option(App& app) {
  // auto is f32: bf16 is slower than f32 on processors without AMX, and is not built yet for those with it.
  app.custom({"--dtype", "auto|f32|bf16|int8", "Arithmetic; bf16 and int8 are not built yet (default f32)."},
             [](const std::string& name, const std::string& value) {
               const size_t choice = App::index_of(name, value, {"auto", "f32", "bf16", "int8"});
               if (choice > 1) throw UsageError(name, " ", value, " is not built yet; use f32");
             });
}

void dtype_option(App& app, Dtype& dtype) {
  app.custom({"--dtype", "auto|f32|bf16|int8",
              "Arithmetic; bf16 rounds what is multiplied, int8 is not built yet (default f32)."},
             [&dtype](const std::string& name, const std::string& value) {
               const size_t choice = App::index_of(name, value, {"auto", "f32", "bf16", "int8"});
               if (choice > 2) throw UsageError(name, " ", value, " is not built yet; use f32 or bf16");
               dtype = choice == 2 ? Dtype::bf16 : Dtype::f32;
             });
}

ModelOptions::ModelOptions(App& app) {
  app.section("Model");
  app.option({"-m,--model", "DIR", "Model directory; without it $BERT_MODEL, else the default model."}, path);
  dtype_option(app);
  app.check([this] { path = model_directory(path, "give -m DIR or set BERT_MODEL"); });
}

}  // namespace bert::cli
