// Numbers of config.json within their limits. Errors name the file, the key, the value and the limits.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "json/json.h"

namespace bert::model {

inline int64_t integer_within(const json::File& file, std::string_view key, std::pair<int64_t, int64_t> range,
                              std::optional<int64_t> otherwise = {}) {
  const int64_t value = file.integer(key, otherwise);
  if (value >= range.first && value <= range.second) return value;
  throw Error(file.path(), ": \"", key, "\" is ", value, ", expected ", range.first, " to ", range.second);
}

// Reads a number in [0, 1).
inline float fraction(const json::File& file, std::string_view key, double otherwise) {
  const double value = file.number(key, otherwise);
  if (value >= 0 && value < 1) return static_cast<float>(value);
  throw Error(file.path(), ": \"", key, "\" is ", value, ", expected at least 0 and less than 1");
}

}  // namespace bert::model
