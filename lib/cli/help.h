// Formats the text of --help for 80 columns.
#pragma once

#include <string>
#include <vector>

namespace bert::cli {

struct HelpPage {
  struct Option {
    std::string names;  // "-o,--output"
    std::string value;  // "FILE"; empty for flags
    std::string help;
  };
  struct Section {
    std::string heading;
    std::vector<Option> options;
  };
  std::string usage;
  std::string summary;
  std::vector<Section> sections;
};

std::string set_page(const HelpPage& page);

}  // namespace bert::cli
