// Options for random numbers: the seed, and the index of the first record, which makes a shard draw the same
// numbers as the whole input would.
#pragma once

#include <cstdint>

#include "cli/app.h"
#include "cli/stream_options.h"

namespace bert::cli {

struct RandomOptions {
  // --first-record is stored in the settings of `stream`.
  RandomOptions(App& app, StreamOptions& stream);
  RandomOptions(const RandomOptions&) = delete;

  uint64_t seed = 0;
};

}  // namespace bert::cli
