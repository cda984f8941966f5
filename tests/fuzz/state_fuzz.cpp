// state.json of a training checkpoint up to its checksum, which is appended.
#include "base/checksum.h"
#include "files.h"
#include "train/state_json.h"

using namespace bert;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(fuzz::text_of(data, size));
  Checksum checksum;
  checksum.add(text);
  char end[64];
  std::snprintf(end, sizeof end, ",\n\"checksum\":\"%016llx\"}\n",
                static_cast<unsigned long long>(checksum.value()));
  fuzz::answered([&] {
    const auto file = train::parse_state("state.json", text + end);
    if (train::parse_state("again", train::state_json(file)).state != file.state) std::abort();
  });
  return 0;
}
