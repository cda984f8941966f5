// Option for the number of digits in printed numbers.
#pragma once

#include "cli/app.h"

namespace bert::cli {

struct PrecisionOption {
  explicit PrecisionOption(App& app);  // under the heading Output
  PrecisionOption(const PrecisionOption&) = delete;

  int digits = -1;  // after the decimal point; -1: as in json::append_number
};

}  // namespace bert::cli
