#include <algorithm>

#include "cli/command_line.h"

namespace bert::cli {
namespace {

constexpr size_t kWidth = 80;
constexpr size_t kHelpColumn = 28;

// Appends `text`, wrapped at spaces to lines shorter than kWidth. The first line starts at `column`, the
// others at `indent`. ASCII only, so that a byte is a column.
void append_wrapped(std::string& out, std::string_view text, size_t column, size_t indent) {
  bool first = true;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (!first && column + 1 + word.size() > kWidth) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!first) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    first = false;
  }
  out += '\n';
}

// "  -o, --output FILE" or "      --drop NAME,...".
std::string left_of(const CommandLine::Option& option) {
  std::string left = option.names.starts_with("--") ? "      " : "  ";
  for (const char c : option.names) left += c == ',' ? ", " : std::string(1, c);
  return option.value.empty() ? left : left + " " + option.value;
}

void append_option(std::string& out, const CommandLine::Option& option) {
  const std::string left = left_of(option);
  out += left;
  if (left.size() + 2 > kHelpColumn)
    out += "\n" + std::string(kHelpColumn, ' ');
  else
    out.append(kHelpColumn - left.size(), ' ');
  append_wrapped(out, option.help, kHelpColumn, kHelpColumn);
}

void append_examples(std::string& out, const std::vector<CommandLine::Example>& examples) {
  if (examples.empty()) return;
  out += "\nExamples:\n";
  for (const auto& example : examples) {
    out += "  " + example.purpose + ":\n    ";
    for (const char c : example.command) out += c == '\n' ? "\n    " : std::string(1, c);
    out += '\n';
  }
}

}  // namespace

std::string help_text(const CommandLine& line) {
  std::vector<CommandLine::Section> sections = line.sections;
  if (!line.most_used.empty()) sections.insert(sections.begin(), {"Most used options", {}});
  for (const auto& name : line.most_used) {
    for (auto& section : sections) {
      const auto option = std::ranges::find(section.options, name, &CommandLine::Option::name);
      if (option == section.options.end()) continue;
      sections.front().options.push_back(*option);
      section.options.erase(option);
      break;
    }
  }
  std::string out = line.usage + "\n";
  append_wrapped(out, line.summary, 0, 0);
  for (const auto& section : sections) {
    if (section.options.empty()) continue;
    out += "\n";
    if (!section.heading.empty()) out += section.heading + ":\n";
    for (const auto& option : section.options) append_option(out, option);
  }
  append_examples(out, line.examples);
  out += "\nManual: man " + line.tool + "; man bert for what the tools have in common.\n";
  return out;
}

}  // namespace bert::cli
