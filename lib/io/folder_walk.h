// The files of a folder and of the folders in it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/globs.h"
#include "io/path_pattern.h"

namespace bert::io {

struct FolderOptions {
  bool recursive = false;                     // else a folder is not read
  std::vector<std::string> include, exclude;  // see Globs; include: files, by default all
  std::vector<std::string> leave_out;         // files and folders, by any of their names, such as the output
  std::shared_ptr<GlobUse> use = nullptr;     // of these globs; nullptr: not asked for

  // About globs that have matched nothing; after the last walk.
  std::vector<std::string> notes() const;
};

// Throws Error if the file `output` is not empty and in the folder, by the globs and without hidden names in
// its path: it would be read if it were not the output.
void refuse_output_in(const std::string& folder, const FolderOptions& options, const std::string& output);

// Finds regular files in the order of their paths' bytes. Leaves out names that begin with "." and what
// .gitignore files exclude: those of the folder, of folders in it, and of those above it up to the root of a
// git repository, whose .git/info/exclude counts, too; and indexes. Symbolic links are not followed. Keeps
// the names of one folder at each depth.
class FolderWalk {
 public:
  // `warn` is called with what cannot be read.
  using Warn = std::function<void(const std::string& message)>;
  FolderWalk(const std::string& folder, const FolderOptions& options, Warn warn);

  // The next file's path, which begins with the folder as it was named; nullopt after the last.
  std::optional<std::string> next();
  // Number of files and folders that the globs or .gitignore left out.
  int64_t left_out() const { return left_out_; }

 private:
  using Entry = PathPattern::Entry;
  struct Found {
    std::string name;  // with "/" for a folder
    Entry entry;
  };
  struct Level {
    size_t path_size;  // of path_ up to its folder
    std::vector<Found> found;
    bool has_patterns;  // the last of ignored_ are those of its folder
    size_t next = 0;
  };
  struct Ignored {
    size_t base;  // length of the folder's path in from_root()
    std::vector<PathPattern> patterns;
  };

  void start(const std::string& folder);
  void enter();
  std::optional<Found> look_at(const std::string& name);
  bool is_wanted(std::string_view path, Entry entry);
  bool is_ignored(std::string_view path_from_root, Entry entry) const;
  bool add_patterns(const std::string& file, size_t base);
  std::string from_root(std::string_view path) const;

  std::shared_ptr<GlobUse> use_;
  Globs include_, exclude_;
  std::vector<std::pair<uint64_t, uint64_t>> outputs_;  // device and inode
  int64_t left_out_ = 0;
  Warn warn_;
  std::string path_;    // of the folder being read, with "/", or of the last file
  size_t folder_size_;  // of path_ at the start
  std::string above_;   // from the root of the repository to the folder, with "/"; "": it is the root
  std::vector<Ignored> ignored_;  // the nearest folder's last
  std::vector<Level> levels_;
};

}  // namespace bert::io
