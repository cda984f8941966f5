// What the tools that run a network have in common on the command line.
#pragma once

#include <cstdint>

#include "text_options.h"

namespace bert::cmd {

inline void batch_option(cli::App& app, int64_t& batch_tokens) {
  app.section("Running");
  app.number({"--batch-tokens", "N", "Tokens that go through the network at once; bounds memory."},
             {.min = 1}, batch_tokens);
}

// As set_input; and ids that a record brings go before its text, unless a text field was asked for.
inline void set_network_input(data::FeatureOptions& features, const cli::StreamOptions& stream,
                              const cli::LengthOptions& length) {
  set_input(features, stream, length);
  features.take_ids = stream.text_field_given() ? data::TakeIds::never : data::TakeIds::where_present;
  if (const auto wrong = impossible_length(features)) throw cli::UsageError(*wrong);
}

}  // namespace bert::cmd
