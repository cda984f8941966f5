// What chance depends on: the seed, and the place of the first record, so that a shard draws what it would
// have drawn as part of the whole.
#pragma once

#include <cstdint>

#include "cli/app.h"
#include "cli/stream_options.h"

namespace bert::cli {

struct RandomOptions {
  // --first-record goes to the settings of `stream`.
  RandomOptions(App& app, StreamOptions& stream);
  RandomOptions(const RandomOptions&) = delete;

  uint64_t seed = 0;
};

}  // namespace bert::cli
