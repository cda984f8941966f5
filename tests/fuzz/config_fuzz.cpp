// config.json
#include "files.h"
#include "model/config.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  bert::fuzz::answered([&] { bert::model::parse_config("config.json", bert::fuzz::text_of(data, size)); });
  return 0;
}
