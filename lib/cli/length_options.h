// Options for texts that exceed the maximum length of the model or of --max-length.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "cli/app.h"

namespace bert::cli {

struct LengthOptions {
  enum class Overflow { truncate, split, error };

  // `overflow` is the tool's default; `default_text` is the default shown in --help if it depends on the
  // task.
  LengthOptions(App& app, Overflow overflow, std::string_view default_text);
  LengthOptions(const LengthOptions&) = delete;

  std::optional<int64_t> max_length;  // in tokens, special tokens included
  Overflow overflow;
  int64_t overlap = 64;  // in tokens, between adjacent windows of split

 private:
  std::optional<Overflow> given_;
};

}  // namespace bert::cli
