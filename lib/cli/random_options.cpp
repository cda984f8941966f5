#include "cli/random_options.h"

#include <limits>

namespace bert::cli {

RandomOptions::RandomOptions(App& app, StreamOptions& stream) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  app.section("Randomness");
  app.number({"--seed", "N", "Another number, another outcome; the same, the same."},
             {.min = 0, .max = kMost}, seed);
  app.number({"--first-record", "K", "Place of the first record, for a shard that begins there."},
             {.min = 0, .max = kMost}, stream.settings.first_record);
}

}  // namespace bert::cli
