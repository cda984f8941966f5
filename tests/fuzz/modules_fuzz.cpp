// modules.json, config_sentence_transformers.json, sentence_bert_config.json, 1_Pooling/config.json and
// 2_Dense/config.json, separated by NULs. The Dense module's weights are fixed.
#include "base/file.h"
#include "files.h"
#include "golden/golden.h"
#include "model/sentence_transformers.h"

using namespace bert;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzz::Files files;
  static const bool made = [] {
    for (const auto* folder : {"/1_Pooling", "/2_Dense"})
      std::filesystem::create_directory(files.path() + folder);
    const auto weights = golden::directory() / "models/sentence-new/2_Dense/model.safetensors";
    files.write("2_Dense/model.safetensors", read_file(weights.string()));
    return true;
  }();
  static_cast<void>(made);
  constexpr int64_t kHidden = 24;  // of the golden models
  const auto parts = fuzz::parts_of(fuzz::text_of(data, size), 5);
  files.write("modules.json", parts[0]);
  files.write("config_sentence_transformers.json", parts[1]);
  files.write("sentence_bert_config.json", parts[2]);
  files.write("1_Pooling/config.json", parts[3]);
  files.write("2_Dense/config.json", parts[4]);
  fuzz::answered([&] { model::load_sentence_transformer(files.path(), kHidden); });
  return 0;
}
