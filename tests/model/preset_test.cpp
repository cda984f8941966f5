#include "model/preset.h"

#include <doctest/doctest.h>

namespace bert::model {

TEST_CASE("presets have the sizes given in the papers") {
  struct Row {
    Preset preset;
    int64_t layers, hidden, heads, feed_forward;
  };
  // Devlin et al. 2018, section 3, and Turc et al. 2019, table 1.
  const Row rows[] = {{Preset::tiny, 2, 128, 2, 512},    {Preset::mini, 4, 256, 4, 1024},
                      {Preset::small, 4, 512, 8, 2048},  {Preset::medium, 8, 512, 8, 2048},
                      {Preset::base, 12, 768, 12, 3072}, {Preset::large, 24, 1024, 16, 4096}};
  for (const auto& row : rows) {
    const Config config = config_of(row.preset, 1234);
    CHECK(config.layers == row.layers);
    CHECK(config.hidden == row.hidden);
    CHECK(config.heads == row.heads);
    CHECK(config.feed_forward == row.feed_forward);
    CHECK(config.vocab_size == 1234);
    CHECK(config.positions == 512);
    CHECK(config.types == 2);
  }
}

}  // namespace bert::model
