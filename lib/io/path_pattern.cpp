#include "io/path_pattern.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "io/table_header.h"

namespace bert::io {
namespace {

using Class = int (*)(int);
constexpr std::pair<std::string_view, Class> kClasses[] = {
    {"alnum", std::isalnum}, {"alpha", std::isalpha}, {"blank", std::isblank}, {"cntrl", std::iscntrl},
    {"digit", std::isdigit}, {"graph", std::isgraph}, {"lower", std::islower}, {"print", std::isprint},
    {"punct", std::ispunct}, {"space", std::isspace}, {"upper", std::isupper}, {"xdigit", std::isxdigit}};

// Reads the byte at `at`, which "\" may precede; nullopt at the end.
std::optional<unsigned char> take_byte(std::string_view pattern, size_t& at) {
  if (at < pattern.size() && pattern[at] == '\\') ++at;
  if (at >= pattern.size()) return std::nullopt;
  return pattern[at++];
}

// Whether `c` is one of the bytes of "[...]". `at` is behind "[" and is moved behind "]". nullopt if the
// brackets are not closed, or name an unknown class.
std::optional<bool> in_brackets(std::string_view pattern, size_t& at, unsigned char c) {
  const bool negated = at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^');
  if (negated) ++at;
  bool found = false;
  for (const size_t begin = at; at < pattern.size() && (pattern[at] != ']' || at == begin);) {
    if (pattern.substr(at, 2) == "[:") {
      const size_t end = pattern.find(":]", at + 2);
      if (end == pattern.npos) return std::nullopt;
      const auto* const known = std::ranges::find(kClasses, pattern.substr(at + 2, end - at - 2),
                                                  &std::pair<std::string_view, Class>::first);
      if (known == std::end(kClasses)) return std::nullopt;
      found |= known->second(c) != 0;
      at = end + 2;
      continue;
    }
    const auto first = take_byte(pattern, at);
    auto last = first;
    if (pattern.substr(at, 1) == "-" && at + 1 < pattern.size() && pattern[at + 1] != ']') {
      ++at;
      last = take_byte(pattern, at);
    }
    if (!first || !last) return std::nullopt;
    found |= *first <= c && c <= *last;
  }
  if (at++ >= pattern.size()) return std::nullopt;
  return found != negated;
}

// Matches one byte with the pattern at `at`, which is not "*", and moves `at` behind what has matched.
bool takes(std::string_view pattern, size_t& at, unsigned char c) {
  if (at >= pattern.size()) return false;
  if (pattern[at] == '?') return ++at > 0;
  if (pattern[at] == '[') return in_brackets(pattern, ++at, c).value_or(false);
  return take_byte(pattern, at) == c;
}

bool is_stars(std::string_view name) { return name.size() > 1 && name.find_first_not_of('*') == name.npos; }

// Each "**" first matches nothing, then one name more each time the rest fails; only the last one has to.
bool matches_names(const std::vector<std::string>& pattern, const std::vector<std::string>& path) {
  size_t p = 0, n = 0;
  std::optional<std::pair<size_t, size_t>> again;
  while (n < path.size()) {
    if (p < pattern.size() && is_stars(pattern[p])) {
      again = {++p, n};
    } else if (p < pattern.size() && matches_name(pattern[p], path[n])) {
      ++p;
      ++n;
    } else if (again) {
      p = again->first;
      n = ++again->second;
    } else {
      return false;
    }
  }
  return std::all_of(pattern.begin() + static_cast<std::ptrdiff_t>(p), pattern.end(), is_stars);
}

// Without the spaces at the end that no "\" precedes.
std::string_view without_end_spaces(std::string_view line) {
  size_t end = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == ' ') continue;
    if (line[i] == '\\') ++i;
    end = i + 1;
  }
  return line.substr(0, end);
}

}  // namespace

// As matches_names, with "*".
bool matches_name(std::string_view pattern, std::string_view name) {
  size_t p = 0, n = 0;
  std::optional<std::pair<size_t, size_t>> again;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      again = {++p, n};
    } else if (takes(pattern, p, name[n])) {
      ++n;
    } else if (again) {
      p = again->first;
      n = ++again->second;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == pattern.npos;
}

PathPattern::PathPattern(std::string_view glob) {
  folders_only_ = glob.ends_with('/');
  if (folders_only_) glob.remove_suffix(1);
  whole_path_ = glob.find('/') != glob.npos;
  from_root_ = glob.starts_with('/');
  if (from_root_) glob.remove_prefix(1);
  names_ = split(glob, '/');
  // "a/**" is what the folder has, not the folder.
  if (whole_path_ && is_stars(names_.back())) names_.emplace_back("*");
}

std::optional<PathPattern> PathPattern::of_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.starts_with('#')) return std::nullopt;
  line = without_end_spaces(line);
  const bool negated = line.starts_with('!');
  if (negated) line.remove_prefix(1);
  if (line.empty() || line == "/") return std::nullopt;
  PathPattern pattern(line);
  pattern.negated_ = negated;
  return pattern;
}

bool PathPattern::matches(std::string_view path, Entry entry) const {
  if (folders_only_ && entry != Entry::folder) return false;
  if (whole_path_) return matches_names(names_, split(path, '/'));
  return matches_name(names_.front(), path.substr(path.rfind('/') + 1));
}

bool PathPattern::matches_written(std::string_view path, Entry entry) const {
  if (!whole_path_ || from_root_ != path.starts_with('/')) return false;
  return matches(from_root_ ? path.substr(1) : path, entry);
}

}  // namespace bert::io
