#include "options/length_options.h"

#include <string>

namespace bert::cmd {

using features::Overflow;

LengthOptions::LengthOptions(cli::App& app, std::string_view default_text) {
  app.section("Long texts");
  app.number({"--max-length", "N", "Maximum sequence length in tokens, special tokens included."}, {.min = 1},
             max_length);
  app.choice<Overflow>(
      {"--overflow", "",
       "Truncate longer texts with a warning, split them into overlapping windows, or report an error "
       "(default " +
           std::string(default_text) + ")."},
      {{"truncate", Overflow::truncate}, {"split", Overflow::split}, {"error", Overflow::error}}, given_);
  app.number({"--overlap", "N", "Number of tokens shared by consecutive windows."}, {.min = 0}, overlap);
  app.check([this] {
    overflow = given_.value_or(overflow);
    if (overflow == Overflow::split && max_length && overlap >= *max_length)
      throw cli::UsageError("--overlap must be less than --max-length");
  });
}

}  // namespace bert::cmd
