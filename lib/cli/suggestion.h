// What to type instead of an option or a word that a tool does not have: the ends of error messages, "" if
// nothing fits. Such a name is misspelled, shortened, or borrowed from another tool (borrowed_names.h).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bert::cli {

struct KnownOption {
  std::string name;                // "--text-field"
  std::string value;               // placeholder, "NAME"; of a choice "jsonl|tsv|csv"; empty for flags
  std::vector<std::string> words;  // values of a choice
};

// For "--learning-rate" or fastText's "-lr": "; did you mean --lr?". `synopsis` shows the operands:
// "bert-embed [OPTION]... [FILE]...".
std::string option_hint(std::string_view unknown, std::span<const KnownOption> options,
                        std::string_view synopsis);

// Whether an argument such as "-model", which would be -m with the value "odel", is a long name with one
// hyphen.
bool is_long_name(std::string_view argument, std::span<const KnownOption> options);

// For "avg": `; did you mean "mean"?`.
std::string word_hint(std::string_view unknown, std::span<const std::string> words);

}  // namespace bert::cli
