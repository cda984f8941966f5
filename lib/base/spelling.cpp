#include "base/spelling.h"

#include <algorithm>
#include <vector>

namespace bert {
namespace {

// Without what is easily confused: case, '-' and '_'.
std::string folded(std::string_view name) {
  std::string text(name);
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '-') c = '_';
  }
  return text;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }

// $'a\nb', which bash, zsh and ksh read.
std::string in_ansi_quotes(std::string_view text) {
  constexpr std::string_view kEscaped = "\n\t\r\\'", kLetters = "ntr\\'";
  std::string word = "$'";
  for (const char c : text) {
    if (const auto at = kEscaped.find(c); at != kEscaped.npos) {
      word += {'\\', kLetters[at]};
    } else if (is_control(c)) {
      const auto byte = static_cast<unsigned char>(c);
      word += '\\';
      for (const int part : {byte >> 6, byte >> 3 & 7, byte & 7}) word += static_cast<char>('0' + part);
    } else {
      word += c;
    }
  }
  return word + "'";
}

}  // namespace

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] =
          std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1] ? 1 : 0)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

bool is_missing_value(std::string_view text) {
  constexpr size_t kLongest = 9;  // bytes
  constexpr std::string_view kAnyCase[] = {"nan",    "n/a",   "#n/a",    "<na>",    "null",   "undefined",
                                           "#name?", "#ref!", "#value!", "#div/0!", "#null!", "#num!"};
  constexpr std::string_view kExact[] = {"NA", "None", "\\N"};
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  if (text.empty() || text.size() > kLongest) return false;
  return std::ranges::find(kAnyCase, lower_case(text)) != std::end(kAnyCase) ||
         std::ranges::find(kExact, text) != std::end(kExact);
}

std::string shell_word(std::string_view text) {
  if (std::ranges::any_of(text, is_control)) return in_ansi_quotes(text);
  if (!text.empty() && text.find_first_of(" '\"$&;|<>()*?[]{}#~\\`!") == text.npos) return std::string(text);
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

std::string lower_case(std::string_view ascii) {
  std::string text(ascii);
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::string nearest_name(std::string_view unknown, std::span<const std::string> names) {
  const std::string wanted = folded(unknown);
  const std::string* best = nullptr;
  size_t least = unknown.size() < 3 ? 0 : (unknown.size() + 3) / 4;
  for (const auto& name : names) {
    const std::string candidate = folded(name);
    // Distances of long texts take time, and lengths alone tell that they are too large.
    if (std::max(candidate.size(), wanted.size()) - std::min(candidate.size(), wanted.size()) > least)
      continue;
    const size_t distance = edit_distance(wanted, candidate);
    if (distance > least || distance >= name.size() || (best != nullptr && distance == least)) continue;
    best = &name;
    least = distance;
  }
  return best == nullptr ? "" : *best;
}

std::string did_you_mean(std::string_view unknown, std::span<const std::string> names) {
  const std::string name = nearest_name(unknown, names);
  return name.empty() ? "" : "; did you mean \"" + name + "\"?";
}

}  // namespace bert
