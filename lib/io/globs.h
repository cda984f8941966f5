// The globs of --include or --exclude.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "io/path_pattern.h"

namespace bert::io {

// Those that have matched a path, in any walk over a folder.
struct GlobUse {
  std::set<std::string> include, exclude;
};

class Globs {
 public:
  // Adds those that match to `matched`, unless it is nullptr; it must outlive this object.
  Globs(const std::vector<std::string>& globs, std::set<std::string>* matched);

  bool empty() const { return globs_.empty(); }

  // Compares them with the path from the folder on, whose name with "/" has `folder_size` bytes, and with the
  // whole path as it is written.
  bool any_matches(std::string_view path, size_t folder_size, PathPattern::Entry entry);

 private:
  struct Glob {
    std::string text;
    PathPattern pattern;
    bool has_matched = false;
  };
  std::vector<Glob> globs_;
  std::set<std::string>* matched_;
};

}  // namespace bert::io
