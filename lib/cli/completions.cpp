// Shell completions. A value is a word of a list, a directory (DIR), a file (FILE), or nothing that a shell
// knows.
#include <algorithm>
#include <array>

#include "cli/command_line.h"

namespace bert::cli {
namespace {

using Option = CommandLine::Option;

// The first clause of the help text: "Number of threads (default: all)." -> "Number of threads". A condition
// such as "For fill: " stays.
std::string short_help(const Option& option) {
  size_t end = option.help.size();
  const size_t begin = option.help.starts_with("For ") ? option.help.find(": ") + 1 : 0;
  for (const std::string_view mark : {". ", "; ", ": ", " ("})
    end = std::min(end, option.help.find(mark, begin));
  auto text = option.help.substr(0, end);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

// Text within single quotes of a shell.
std::string quoted(std::string_view text, std::string_view quote) {
  std::string out;
  for (const char c : text) c == '\'' ? out += quote : out += c;
  return out;
}

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const auto& word : words) (text += text.empty() ? "" : separator) += word;
  return text;
}

// {"-o", "--output"}
std::vector<std::string> names_of(const Option& option) {
  if (const auto comma = option.names.find(','); comma != std::string::npos)
    return {option.names.substr(0, comma), option.names.substr(comma + 1)};
  return {option.names};
}

template <class Use>
void for_each_option(const CommandLine& line, const Use& use) {
  for (const auto& section : line.sections)
    for (const auto& option : section.options) use(option);
}

}  // namespace

std::string bash_completion(const CommandLine& line) {
  auto function = "_" + line.tool;
  std::ranges::replace(function, '-', '_');
  std::string cases;
  std::vector<std::string> all, other;
  for_each_option(line, [&](const Option& option) {
    const auto names = names_of(option);
    all.insert(all.end(), names.begin(), names.end());
    const auto pattern = "  " + joined(names, " | ") + ") ";
    if (!option.words.empty())
      cases += pattern + "words='" + joined(option.words, " ") + "' ;;\n";
    else if (option.value == "DIR" || option.value == "FILE")
      cases += pattern + "compopt -o " + (option.value == "DIR" ? "dirnames" : "default") +
               " 2>/dev/null; return ;;\n";
    else if (!option.value.empty())
      other.insert(other.end(), names.begin(), names.end());
  });
  if (!other.empty()) cases += "  " + joined(other, " | ") + ") return ;;\n";
  // bash splits --option=value into three words.
  return "# bash completion of " + line.tool + "(1)\n\n" + function + R"(() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} words
  [[ $current == = ]] && current=
  [[ $previous == = ]] && previous=${COMP_WORDS[COMP_CWORD - 2]}
  case $previous in
)" + cases +
         R"(  *)
    [[ $current != -* ]] && { compopt -o default 2>/dev/null; return; }
    words=')" +
         joined(all, " ") + R"('
    ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}

complete -F )" +
         function + " " + line.tool + "\n";
}

// _arguments: '(-o --output)'{-o+,--output=}'[help]:message:action'
std::string zsh_completion(const CommandLine& line) {
  std::string text = "#compdef " + line.tool + "\n\n_arguments -s -S \\\n";
  for_each_option(line, [&](const Option& option) {
    std::string help;
    for (const char c : quoted(short_help(option), "'\\''"))
      help += c == '[' || c == ']' ? std::string("\\") + c : std::string(1, c);
    const auto names = names_of(option);
    const bool flag = option.value.empty();
    auto spelled = names.back() + (flag ? "" : "=");
    if (option.repeated())
      spelled = "'*" + spelled;
    else if (names.size() == 1)
      spelled = "'" + spelled;
    else
      spelled = "'(" + joined(names, " ") + ")'{" + names.front() + (flag ? "" : "+") + "," + spelled + "}'";
    text += "  " + spelled + "[" + help + "]";
    if (!flag) {
      text += ":" + names.back().substr(2) + ":";
      if (!option.words.empty())
        text += "(" + joined(option.words, " ") + ")";
      else if (option.value == "DIR")
        text += "_files -/";
      else if (option.value == "FILE")
        text += "_files";
    }
    text += "' \\\n";
  });
  return text + "  '*:file:_files'\n";
}

std::string fish_completion(const CommandLine& line) {
  std::string text = "# fish completion of " + line.tool + "(1)\n";
  for_each_option(line, [&](const Option& option) {
    text += "complete -c " + line.tool;
    for (const auto& name : names_of(option))
      text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (!option.words.empty())
      text += " -x -a '" + joined(option.words, " ") + "'";
    else if (option.value == "DIR")
      text += " -x -a '(__fish_complete_directories)'";
    else if (option.value == "FILE")
      text += " -r";
    else if (!option.value.empty())
      text += " -x";
    text += " -d '" + quoted(short_help(option), "\\'") + "'\n";
  });
  return text;
}

}  // namespace bert::cli
