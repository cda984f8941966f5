#include <doctest/doctest.h>

#include <algorithm>

#include "model/config.h"

namespace bert::model {

TEST_CASE("presets have the sizes given in the papers") {
  struct Row {
    std::string_view name;
    int64_t layers, hidden, heads, feed_forward;
  };
  // Devlin et al. 2018, section 3, and Turc et al. 2019, table 1.
  const Row rows[] = {{"tiny", 2, 128, 2, 512},    {"mini", 4, 256, 4, 1024},
                      {"small", 4, 512, 8, 2048},  {"medium", 8, 512, 8, 2048},
                      {"base", 12, 768, 12, 3072}, {"large", 24, 1024, 16, 4096}};
  CHECK(std::size(rows) == std::size(kPresets));
  for (const auto& row : rows) {
    const Config config = config_of(*std::ranges::find(kPresets, row.name, &Preset::name), 1234);
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
