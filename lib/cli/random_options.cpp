#include "cli/random_options.h"

#include <limits>

namespace bert::cli {

RandomOptions::RandomOptions(App& app, StreamOptions& stream) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  app.section("Randomness");
  app.number({"--seed", "N", "Random seed. Equal seeds give equal results."}, {.min = 0, .max = kMost}, seed);
  app.number(
      {"--first-record", "K", "Index of the first record in the whole input, if the input is a shard."},
      {.min = 0, .max = kMost}, stream.settings.first_record);
}

}  // namespace bert::cli
