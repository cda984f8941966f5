// What the tools that run a network have in common on the command line.
#pragma once

#include <cstdint>

#include "text_options.h"

namespace bert::cmd {

inline void batch_option(cli::App& app, int64_t& batch_tokens) {
  app.section("Running");
  app.number({"--batch-tokens", "N", "Number of tokens per forward pass; limits memory."}, {.min = 1},
             batch_tokens);
}

// Like set_input. Ids in a record take precedence over its text, unless --text-field was given.
inline void set_network_input(features::FeatureOptions& features, const cli::StreamOptions& stream,
                              const cli::LengthOptions& length) {
  set_input(features, stream, length);
  features.take_ids = stream.text_field_given() ? features::TakeIds::never : features::TakeIds::where_present;
  if (const auto wrong = impossible_length(features)) throw cli::UsageError(*wrong);
}

}  // namespace bert::cmd
