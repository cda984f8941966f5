// Options for the digits of printed numbers and for random numbers.
#pragma once

#include <cstdint>

#include "base/option.h"
#include "options/stream_options.h"

namespace bert::cmd {

// --precision, under the heading Output. -1 is the default: as many digits as it takes, see
// json::append_number.
inline void precision_option(cli::App& app, int& digits) {
  app.section("Output");
  app.custom({"--precision", "N",
              "Number of decimal places (default: the shortest text that reads back as the same number)."},
             [&digits](const std::string& name, const std::string& value) {
               digits = cli::App::whole_number(name, value, {.min = 0, .max = 20});
             });
}

// --seed, under the heading Randomness.
inline void seed_option(cli::App& app, uint64_t& seed) {
  app.section("Randomness");
  app.number({opt::seed, "N", "Random seed. Equal seeds give equal results."}, {.min = 0, .max = INT64_MAX},
             seed);
}

constexpr int64_t kMostRecords = int64_t{1} << 53;  // exact in JSON

// --seed and --first-record, which makes a shard draw the same numbers as the whole input would.
inline void random_options(cli::App& app, uint64_t& seed, StreamOptions& stream) {
  seed_option(app, seed);
  app.number(
      {"--first-record", "K", "Index of the first record in the whole input, if the input is a shard."},
      {.min = 0, .max = kMostRecords}, stream.settings.first_record);
}

}  // namespace bert::cmd
