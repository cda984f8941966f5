#include "io/globs.h"

namespace bert::io {

Globs::Globs(const std::vector<std::string>& globs, std::set<std::string>* matched) : matched_(matched) {
  for (const auto& glob : globs) globs_.push_back({.text = glob, .pattern = PathPattern(glob)});
}

// Goes on after a match only for globs that may not match anything else.
bool Globs::any_matches(std::string_view path, size_t folder_size, PathPattern::Entry entry) {
  bool any = false;
  for (auto& glob : globs_) {
    if (any && glob.has_matched) continue;
    if (!glob.pattern.matches(path.substr(folder_size), entry) && !glob.pattern.matches_written(path, entry))
      continue;
    any = true;
    if (matched_ != nullptr && !glob.has_matched) matched_->insert(glob.text);
    glob.has_matched = true;
  }
  return any;
}

}  // namespace bert::io
