// How many digits of a number are printed.
#pragma once

#include "cli/app.h"

namespace bert::cli {

struct PrecisionOption {
  explicit PrecisionOption(App& app);  // stands under Output
  PrecisionOption(const PrecisionOption&) = delete;

  int digits = -1;  // after the point; -1: the shortest that reads back to the same f32 (io::append_number)
};

}  // namespace bert::cli
