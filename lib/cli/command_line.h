// What a tool declares about its command line, and the texts made of it: --help for people, the rest for the
// build, by `TOOL --generate FORM`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bert::cli {

struct CommandLine {
  struct Option {
    std::string names;               // "-o,--output"
    std::string value;               // "FILE"; empty for flags
    std::string help;                // with the default
    std::vector<std::string> words;  // values to offer; for a choice these are all
    std::string name() const { return names.substr(names.find("--")); }
    bool repeated() const { return value.ends_with(",..."); }
  };
  struct Section {
    std::string heading;
    std::vector<Option> options;
  };
  struct Example {
    std::string purpose;  // "Fill a masked token"
    std::string command;  // may have several lines
  };
  std::string tool;  // "bert-embed"
  std::string usage;
  std::string summary;
  std::vector<Section> sections;
  std::vector<std::string> most_used;  // names of options that --help shows first
  std::vector<Example> examples;
};

std::string help_text(const CommandLine& line);  // for 80 columns
std::string bash_completion(const CommandLine& line);
std::string zsh_completion(const CommandLine& line);
std::string fish_completion(const CommandLine& line);
// mdoc of the OPTIONS section: a subsection for each heading. A comment before each option and heading names
// it, so that man/page.awk can add a page's own text there.
std::string manual_options(const CommandLine& line);

struct GeneratedForm {
  std::string_view name;  // as --generate spells it
  std::string (*text)(const CommandLine& line);
};
const std::vector<GeneratedForm>& generated_forms();

}  // namespace bert::cli
