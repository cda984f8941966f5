#include "cli/suggestion.h"

#include <algorithm>

#include "base/error.h"
#include "base/spelling.h"
#include "cli/borrowed_names.h"

namespace bert::cli {
namespace {

// "--Max_Length" -> "max-length"
std::string bare(std::string_view name) {
  name.remove_prefix(std::min(name.size(), name.find_first_not_of('-')));
  std::string text(name);
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '_') c = '-';
  }
  return text;
}

bool has_item(std::string_view list, char separator, std::string_view item) {
  for (size_t begin = 0; begin < list.size();) {
    const size_t end = std::min(list.find(separator, begin), list.size());
    if (list.substr(begin, end - begin) == item) return true;
    begin = end + 1;
  }
  return false;
}

// "--dtype bf16": whether the tool has the option, with this word or placeholder.
bool offers(std::span<const KnownOption> options, std::string_view answer) {
  const size_t space = std::min(answer.find(' '), answer.size());
  const auto option = std::ranges::find(options, answer.substr(0, space), &KnownOption::name);
  if (option == options.end() || space == answer.size()) return option != options.end();
  const auto value = answer.substr(space + 1);
  return option->value == value || std::ranges::find(option->words, value) != option->words.end();
}

std::string question(std::vector<std::string> names) { return "; did you mean " + listed(names, "or") + "?"; }

// The hint of a row for a tool; "" if the tool has none of the answers.
std::string hint(std::string_view ours, std::span<const KnownOption> options, std::string_view synopsis) {
  const auto operand = [&](std::string_view shown, std::string_view what) {
    if (synopsis.find(shown) == synopsis.npos) return std::string();
    return "; name the " + std::string(what) + " without an option: " + std::string(synopsis);
  };
  if (ours == "FILE") return operand(ours, "input");
  if (ours == "DIR") return operand(ours, "model");
  if (ours.starts_with("bert-"))  // "bert-train FILE"
    return synopsis.starts_with(ours.substr(0, ours.find(' ') + 1)) ? operand("FILE", "input") : "";
  if (!ours.starts_with('-')) return "; " + std::string(ours);
  if (const size_t mark = ours.find("? "); mark != ours.npos)
    return offers(options, ours.substr(0, mark)) ? "; " + std::string(ours.substr(mark + 2)) : "";
  std::vector<std::string> names;
  for (size_t begin = 0; begin < ours.size();) {
    const size_t end = std::min(ours.find(';', begin), ours.size());
    if (const auto answer = ours.substr(begin, end - begin); offers(options, answer))
      names.emplace_back(answer);
    begin = end + 1;
  }
  return names.empty() ? "" : question(names);
}

// For names that are the option's but for case, hyphens and underscores, or another tool's.
std::string exact_hint(const std::string& name, std::span<const KnownOption> options,
                       std::string_view synopsis) {
  for (const auto& option : options)
    if (bare(option.name) == name) return question({option.name});
  for (const auto& [names, ours] : kOptions) {
    if (!has_item(names, ' ', name)) continue;
    if (auto found = hint(ours, options, synopsis); !found.empty()) return found;
  }
  return "";
}

// "no-normalize", "normalize": the opposite.
bool negates(std::string_view name, std::string_view other) {
  return name.starts_with("no-") && name.substr(3) == other;
}

// Options that begin with the name, else those that end with it as a word of its own: --norm, --length.
std::vector<std::string> completed(std::string_view name, std::span<const KnownOption> options) {
  constexpr size_t kShortest = 3, kMost = 4;
  std::vector<std::string> begin, end;
  if (name.size() < kShortest) return {};
  for (const auto& option : options) {
    if (option.name.substr(2).starts_with(name)) begin.push_back(option.name);
    if (option.name.substr(1).ends_with("-" + std::string(name)) && !negates(option.name.substr(2), name))
      end.push_back(option.name);
  }
  auto& found = begin.empty() ? end : begin;
  return found.size() <= kMost ? found : std::vector<std::string>();
}

// The option that the name is a misspelling of; "" if none. People get the first letter right, and make one
// mistake in a short name: --mask is not --task, --strip not --stride.
std::string misspelled(std::string_view name, std::span<const KnownOption> options) {
  constexpr size_t kLong = 8;
  std::vector<std::string> names;
  for (const auto& option : options) {
    const auto known = bare(option.name);
    const size_t wrong = edit_distance(name, known);
    if (negates(name, known) || negates(known, name)) continue;
    if (known.front() == name.front() && (wrong == 1 || name.size() >= kLong)) names.push_back(known);
  }
  return nearest_name(name, names);
}

// Whether the name is right for something else.
bool is_other_name(std::string_view name) {
  return has_item(kOtherNames, ' ', name) ||
         std::ranges::any_of(kOptions, [&](const auto& row) { return has_item(row.names, ' ', name); });
}

}  // namespace

std::string option_hint(std::string_view unknown, std::span<const KnownOption> options,
                        std::string_view synopsis) {
  if (unknown.size() < 3) return exact_hint(std::string(unknown), options, synopsis);  // -t
  const auto name = bare(unknown);
  if (auto found = exact_hint(name, options, synopsis); !found.empty()) return found;
  if (is_other_name(name)) return "";
  if (const auto found = completed(name, options); !found.empty()) return question(found);
  const auto nearest = misspelled(name, options);
  return nearest.empty() ? "" : question({"--" + nearest});
}

bool is_long_name(std::string_view argument, std::span<const KnownOption> options) {
  if (argument.size() < 3 || argument[0] != '-' || argument[1] == '-' || argument == "-help") return false;
  const auto name = bare(argument.substr(0, argument.find('=')));
  return name.size() > 1 && !exact_hint(name, options, "").empty();
}

std::string word_hint(std::string_view unknown, std::span<const std::string> words) {
  for (const auto& [names, ours] : kWords) {
    const size_t mark = ours.find("? ");
    if (!has_item(names, ' ', bare(unknown)) || std::ranges::find(words, ours.substr(0, mark)) == words.end())
      continue;
    return mark == ours.npos ? "; did you mean \"" + std::string(ours) + "\"?"
                             : "; " + std::string(ours.substr(mark + 2));
  }
  return did_you_mean(unknown, words);
}

}  // namespace bert::cli
