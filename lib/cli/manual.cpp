// The OPTIONS section of a man page, in mdoc.
#include <algorithm>
#include <array>
#include <cctype>

#include "cli/command_line.h"

namespace bert::cli {
namespace {

using Option = CommandLine::Option;

// "a | b-c" for .Cm, or the placeholder for .Ar.
std::string value_of(const Option& option) {
  if (option.value.find('|') == std::string::npos ||
      option.value.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") != std::string::npos)
    return " Ar " + option.value;
  std::string text = " Cm ";
  for (const char c : option.value) c == '|' ? text += " | " : text += c;
  return text;
}

// "-o,--output" -> "Fl o , Fl -output"
std::string flags_of(const Option& option) {
  const auto comma = option.names.find(',');
  if (comma == std::string::npos) return "Fl " + option.names.substr(1);
  return "Fl " + option.names.substr(1, comma - 1) + " , Fl " + option.names.substr(comma + 2);
}

// A word of the help text between punctuation: options and values of the option are bold, placeholders are
// italic.
std::string styled(std::string_view word, const Option& option) {
  const auto begin = std::min(word.find_first_not_of("(\""), word.size());
  const auto end = std::max(word.find_last_not_of(".,;:)\"") + 1, begin);
  const auto core = word.substr(begin, end - begin);
  std::string_view mark;
  if (core.starts_with("--") || (core.starts_with('-') && core.size() == 2 && std::isalpha(core[1]) != 0) ||
      (word.ends_with(':') && std::ranges::find(option.words, core) != option.words.end()))
    mark = "`";
  else if (!core.empty() && (option.value == core || option.value == std::string(core) + ",..."))
    mark = "*";
  std::string text(word.substr(0, begin));
  return text.append(mark).append(core).append(mark).append(word.substr(end));
}

std::string paragraph(const Option& option) {
  std::string text, line;
  const auto& help = option.help;
  for (size_t begin = 0; begin < help.size();) {
    const auto end = std::min(help.find(' ', begin), help.size());
    const auto word = styled(std::string_view(help).substr(begin, end - begin), option);
    const bool sentence = line.ends_with('.');
    if (!line.empty() && (sentence || line.size() + 1 + word.size() > 80)) {
      text += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    begin = end + 1;
  }
  return text + line + "\n";
}

}  // namespace

std::string manual_options(const CommandLine& line) {
  std::string text;
  for (const auto& section : line.sections) {
    text += ".Ss " + section.heading + "\n.\\\" " + section.heading + "\n.Bl -tag -width Ds\n";
    for (const auto& option : section.options) {
      text += ".It " + flags_of(option) + (option.value.empty() ? "" : value_of(option)) + "\n";
      text += paragraph(option) + ".\\\" " + option.name() + "\n";
    }
    text += ".El\n";
  }
  return text;
}

const std::vector<GeneratedForm>& generated_forms() {
  static const std::vector<GeneratedForm> forms = {
      {"man", manual_options}, {"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}};
  return forms;
}

}  // namespace bert::cli
