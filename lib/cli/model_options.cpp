#include "cli/model_options.h"

#include <cstdlib>

namespace bert::cli {

std::string model_directory(const std::string& given, std::string_view ways) {
  if (!given.empty()) return given;
  const char* const directory = std::getenv("BERT_MODEL");
  if (directory == nullptr || *directory == '\0') throw UsageError("no model: ", ways);
  return directory;
}

void dtype_option(App& app) {
  // auto is f32: bf16 is slower than f32 on processors without AMX, and is not built yet for those with it.
  app.custom({"--dtype", "auto|f32|bf16|int8", "Arithmetic; bf16 and int8 are not built yet (default f32)."},
             [](const std::string& name, const std::string& value) {
               const size_t choice = App::index_of(name, value, {"auto", "f32", "bf16", "int8"});
               if (choice > 1) throw UsageError(name, " ", value, " is not built yet; use f32");
             });
}

ModelOptions::ModelOptions(App& app) {
  app.section("Model");
  app.option({"-m,--model", "DIR", "Model directory; without it $BERT_MODEL."}, path);
  dtype_option(app);
  app.check([this] { path = model_directory(path, "give -m DIR or set BERT_MODEL"); });
}

}  // namespace bert::cli
void dtype_option(App& app, Dtype& dtype) {
  app.custom({"--dtype", "auto|f32|bf16|int8",
              "Arithmetic; bf16 rounds what is multiplied, int8 is not built yet (default f32)."},
             [&dtype](const std::string& name, const std::string& value) {
               const size_t choice = App::index_of(name, value, {"auto", "f32", "bf16", "int8"});
               if (choice > 2) throw UsageError(name, " ", value, " is not built yet; use f32 or bf16");
               dtype = choice == 2 ? Dtype::bf16 : Dtype::f32;
             });
}

