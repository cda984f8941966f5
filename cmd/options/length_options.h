// Options for texts that exceed the maximum length of the model or of --max-length.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "cli/app.h"
#include "features/features.h"

namespace bert::cmd {

struct LengthOptions {
  // What a tool can do with windows. apart: also write a record for each.
  enum class Windows { joined, apart };

  // `default_text` is the default of --overflow that --help shows, if it depends on the task.
  explicit LengthOptions(cli::App& app, std::string_view default_text = "truncate",
                         Windows windows = Windows::joined);
  LengthOptions(const LengthOptions&) = delete;

  std::optional<int64_t> max_length;  // in tokens, special tokens included
  features::Overflow overflow = features::Overflow::truncate;
  int64_t overlap = 64;  // in tokens, between adjacent windows of split
  bool apart = false;    // --overflow windows, which splits

 private:
  struct Choice {
    features::Overflow overflow;
    bool apart = false;
    bool operator==(const Choice&) const = default;
  };
  std::optional<Choice> given_;
};

}  // namespace bert::cmd
