// state.json of a training checkpoint.
#include "files.h"
#include "train/state_json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(bert::fuzz::text_of(data, size));
  bert::fuzz::answered([&] {
    const auto state = bert::train::parse_state("state.json", text);
    if (bert::train::state_json(state) != text) std::abort();
  });
  return 0;
}
