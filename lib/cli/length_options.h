// What happens to texts longer than the model or the user allows.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "cli/app.h"

namespace bert::cli {

struct LengthOptions {
  enum class Overflow { truncate, split, error };

  // `overflow` is the tool's default; `default_text` is what --help says where there is more than one.
  LengthOptions(App& app, Overflow overflow, std::string_view default_text);
  LengthOptions(const LengthOptions&) = delete;

  std::optional<int64_t> max_length;  // tokens of one sequence, specials included
  Overflow overflow;
  int64_t overlap = 64;  // tokens that neighbouring windows of split share

 private:
  std::optional<Overflow> given_;
};

}  // namespace bert::cli
