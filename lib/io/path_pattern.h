// Patterns for paths as git reads them in .gitignore files (gitignore(5)).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bert::io {

// "*" matches any bytes but "/", "?" one, "[a-z]" one of several. A pattern without "/" before its end is
// compared with the last name of a path, any other one with the whole path; there, "**" as a name matches any
// number of folders. "/" at the end: only folders match.
class PathPattern {
 public:
  enum class Entry { file, folder };

  explicit PathPattern(std::string_view glob);
  // nullopt for a line without a pattern: it is blank or a comment.
  static std::optional<PathPattern> of_line(std::string_view line);

  // `path`: from the folder that the pattern belongs to, without "/" at its ends.
  bool matches(std::string_view path, Entry entry) const;
  // Whether a pattern with "/" before its end matches a path as it is written, such as "../a/b" or "/a/b".
  bool matches_written(std::string_view path, Entry entry) const;
  bool negated() const { return negated_; }  // "!name" in a line: such paths are not ignored

 private:
  std::vector<std::string> names_;  // between the slashes
  bool whole_path_ = false, from_root_ = false, folders_only_ = false, negated_ = false;
};

// Whether a name without "/" matches a pattern without "/".
bool matches_name(std::string_view pattern, std::string_view name);

}  // namespace bert::io
