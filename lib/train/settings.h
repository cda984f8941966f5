// Settings that affect the results of a run, as text, to show to users and to compare two runs.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "comm/communicator.h"
#include "corpus/masking.h"
#include "model/config.h"
#include "text/tokenizer.h"

namespace bert::train {

// Option -> value, in the order in which differences are reported.
using Settings = std::vector<std::pair<std::string, std::string>>;

// Throws an Error that lists all differences and both values, unless the settings are equal to those of the
// checkpoint at `path`. More --steps and --epochs are no such difference: they extend the run. Returns them,
// as
// "--steps from 2500 to 3000". Another number of processes is none either.
std::optional<std::string> require_same(const Settings& checkpoint, const Settings& now,
                                        const std::string& path);

// Number of processes that train together; in the settings only if there are several.
inline constexpr std::string_view kProcesses = "the number of processes";
// The directory of the initial model, to name the models where they differ.
inline constexpr std::string_view kModelPath = "the path of the model";
int64_t processes_of(const Settings& settings);

// Throws Error on the ranks whose settings differ from those of rank 0, with all differences.
void require_same_on_all_ranks(comm::Communicator& ranks, const Settings& settings);

inline std::string setting(int64_t number) { return std::to_string(number); }
// The shortest text that reads back to the same number, as people write it: 0.0003, 5e-5, 1e6.
template <std::floating_point T>
std::string setting(T number);
inline std::string yes_or_no(bool value) { return value ? "yes" : "no"; }

template <class T>
std::string setting(const std::optional<T>& value) {
  return value ? setting(*value) : "not set";
}

// What a tokenizer does to texts, besides its vocabulary, under the names of tokenizer_config.json.
// `max_length`: unless an option says it.
void add_settings(const text::TokenizerConfig& tokenizer, std::optional<int64_t> max_length,
                  Settings& settings);

void add_settings(const corpus::MaskRule& rule, Settings& settings);

std::string joined(std::span<const std::string> names);   // "a, b, c"
std::string setting(const model::Config& config);         // "4 x 256 (1234567)"
std::string setting(const text::Tokenizer& tokenizer);    // "8192 tokens (1234567)"
std::string setting(std::span<const std::string> names);  // "a, b, c", or their number and a checksum

}  // namespace bert::train
