// What decides about the bits of a run, in words: for a person to see what it is, and for two to be told
// apart.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/config.h"
#include "text/tokenizer.h"

namespace bert::train {

// Option -> value, in the order in which differences are told.
using Settings = std::vector<std::pair<std::string, std::string>>;

// Error("--seed was 1 in the snapshot, 2 now; --clip was not set in the snapshot, 1 now") unless equal.
void require_same(const Settings& snapshot, const Settings& now);

inline std::string setting(int64_t number) { return std::to_string(number); }
// As short as tells it from all others.
template <std::floating_point T>
std::string setting(T number) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, number).ptr};
}
inline std::string yes_or_no(bool value) { return value ? "yes" : "no"; }

template <class T>
std::string setting(const std::optional<T>& value) {
  return value ? setting(*value) : "not set";
}

std::string setting(const model::Config& config);         // "4 x 256 (1234567)"
std::string setting(const text::Tokenizer& tokenizer);    // "8192 tokens (1234567)"
std::string setting(std::span<const std::string> names);  // "a, b, c", or their number and a checksum

}  // namespace bert::train
