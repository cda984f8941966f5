// modules.json, config_sentence_transformers.json, sentence_bert_config.json and 1_Pooling/config.json, with
// NULs between them.
#include "files.h"
#include "model/sentence_transformers.h"

using namespace bert;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzz::Files files;
  static const bool made = std::filesystem::create_directory(files.path() + "/1_Pooling");
  if (!made) std::abort();
  const auto parts = fuzz::parts_of(fuzz::text_of(data, size), 4);
  files.write("modules.json", parts[0]);
  files.write("config_sentence_transformers.json", parts[1]);
  files.write("sentence_bert_config.json", parts[2]);
  files.write("1_Pooling/config.json", parts[3]);
  fuzz::answered([&] { model::load_sentence_transformer(files.path(), 4); });
  return 0;
}
