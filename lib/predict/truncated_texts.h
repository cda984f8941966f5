// Warning about truncated texts.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/log.h"

namespace bert::predict {

inline void report_truncated_texts(Log& log, int64_t texts, int64_t max_length) {
  log.warn(counted(texts, "text was", "texts were") + " truncated to " + std::to_string(max_length) +
           " tokens");
}

}  // namespace bert::predict
