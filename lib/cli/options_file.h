// Files of options, for --config, in a part of TOML 1.0 (https://toml.io/en/v1.0.0):
//
//   # a comment
//   text-field = "message"
//   [bert-train]
//   epochs = 4
//   labels = ["spam", "ham"]
//
// NAME = VALUE lines are for all tools; those below a heading only for the tool that it names, for which they
// precede. A value is a string, a number, true, false, or an array of strings and numbers, which may have
// several lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bert::cli {

struct FileOption {
  std::string name;                 // "--max-length"; TOML may have max_length
  std::vector<std::string> values;  // as on the command line; of true and false this word
  bool is_switch = false;           // true or false, without quotes
  int64_t line = 0;                 // from 1
};

// The options for the tool, those for all tools first. Throws OptionError with the place of what is not in
// this form.
std::vector<FileOption> read_options_file(const std::string& path, std::string_view tool);

}  // namespace bert::cli
