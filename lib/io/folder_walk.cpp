#include "io/folder_walk.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <system_error>

#include "base/error.h"
#include "base/file.h"
#include "base/index_files.h"
#include "base/option.h"
#include "base/spelling.h"
#include "io/decoder.h"
#include "io/table_header.h"

namespace bert::io {
namespace {

namespace fs = std::filesystem;

// The root of the git repository that has the folder.
std::optional<fs::path> repository_of(const fs::path& folder) {
  for (fs::path path = folder;; path = path.parent_path()) {
    std::error_code ignored;
    if (fs::exists(path / ".git", ignored)) return path;
    if (path == path.parent_path()) return std::nullopt;
  }
}

std::string with_slash(const std::string& folder) { return folder.ends_with('/') ? folder : folder + "/"; }

}  // namespace

std::vector<std::string> FolderOptions::notes() const {
  std::vector<std::string> notes;
  if (use == nullptr) return notes;
  const auto add = [&](const std::vector<std::string>& globs, const std::set<std::string>& matched,
                       Option option, const char* what) {
    for (const auto& glob : globs)
      if (!matched.contains(glob)) notes.push_back(option + " " + shell_word(glob) + " matches no " + what);
  };
  add(include, use->include, opt::include, "file");
  add(exclude, use->exclude, opt::exclude, "file or folder");
  return notes;
}

void refuse_output_in(const std::string& folder, const FolderOptions& options, const std::string& output) {
  std::error_code failure;
  const auto place = fs::weakly_canonical(fs::absolute(output), failure);
  const auto base = failure ? fs::path() : fs::canonical(folder, failure);
  const auto size = failure || !fs::is_regular_file(place, failure) ? 0 : fs::file_size(place, failure);
  if (failure || size == 0) return;
  const auto path = place.lexically_relative(base);
  Globs exclude(options.exclude, nullptr), include(options.include, nullptr);
  const auto written = with_slash(folder);
  const auto matches = [&](Globs& globs, const fs::path& its, PathPattern::Entry entry) {
    return globs.any_matches(written + its.string(), written.size(), entry);
  };
  fs::path part;
  for (const auto& name : path) {
    part /= name;
    if (name.string().starts_with('.')) return;  // hidden, or ".." of a file that is elsewhere
    const auto entry = part == path ? PathPattern::Entry::file : PathPattern::Entry::folder;
    if (matches(exclude, part, entry)) return;
  }
  if (!include.empty() && !matches(include, path, PathPattern::Entry::file)) return;
  throw Error(output, ": is in the folder ", folder,
              ", which is read, and would be replaced; name another file, or ", opt::exclude, " it");
}

FolderWalk::FolderWalk(const std::string& folder, const FolderOptions& options, Warn warn)
    : use_(options.use),
      include_(options.include, use_ ? &use_->include : nullptr),
      exclude_(options.exclude, use_ ? &use_->exclude : nullptr),
      warn_(std::move(warn)),
      path_(with_slash(folder)),
      folder_size_(path_.size()) {
  for (const auto& path : options.leave_out) {
    struct stat info;
    if (::stat(path.c_str(), &info) == 0 && (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)))
      outputs_.emplace_back(info.st_dev, info.st_ino);
  }
  start(folder);
  enter();
}

// Reads the patterns that the folders above have.
void FolderWalk::start(const std::string& folder) {
  std::error_code failure;
  const auto place = fs::canonical(folder, failure);
  if (failure) return;  // it has been removed, which enter() reports
  const auto root = repository_of(place);
  if (!root) return;
  if (fs::is_directory(*root / ".git", failure)) add_patterns(*root / ".git/info/exclude", 0);
  fs::path above = *root;
  for (const auto& name : place.lexically_relative(*root)) {
    if (name == ".") break;
    add_patterns(above / ".gitignore", above_.size());
    above /= name;
    above_ += name.string() + "/";
  }
}

std::optional<std::string> FolderWalk::next() {
  while (!levels_.empty()) {
    Level& level = levels_.back();
    path_.resize(level.path_size);
    if (level.next == level.found.size()) {
      if (level.has_patterns) ignored_.pop_back();
      levels_.pop_back();
      continue;
    }
    const Found& found = level.found[level.next++];
    path_ += found.name;
    if (found.entry == Entry::file) return path_;
    enter();
  }
  return std::nullopt;
}

// Adds the level of the folder path_.
void FolderWalk::enter() {
  std::vector<std::string> names;
  try {
    names = names_in_directory(path_);
  } catch (const Error& error) {
    return warn_(error.what());
  }
  if (is_index(names)) {
    if (levels_.empty()) warn_(path_ + ": is left out; it is an index, which " + opt::index + " searches");
    return;
  }
  Level level = {.path_size = path_.size(), .found = {}, .has_patterns = false};
  if (std::ranges::binary_search(names, ".gitignore"))
    level.has_patterns = add_patterns(path_ + ".gitignore", from_root(path_).size());
  for (const auto& name : names) {
    if (name.starts_with('.')) {
      exclude_.any_matches(path_ + name, folder_size_, Entry::folder);  // has an effect, though no other one
      continue;
    }
    if (auto found = look_at(name)) level.found.push_back(std::move(*found));
  }
  std::ranges::sort(level.found, {}, &Found::name);
  levels_.push_back(std::move(level));
}

// nullopt if it is to be left out.
std::optional<FolderWalk::Found> FolderWalk::look_at(const std::string& name) {
  const auto path = path_ + name;
  struct stat info;
  if (::lstat(path.c_str(), &info) != 0) {
    if (errno != ENOENT) warn_(path + ": " + std::strerror(errno));
    return std::nullopt;
  }
  const bool is_folder = S_ISDIR(info.st_mode);
  if (!is_folder && !S_ISREG(info.st_mode)) return std::nullopt;
  const auto entry = is_folder ? Entry::folder : Entry::file;
  const std::pair<uint64_t, uint64_t> identity(info.st_dev, info.st_ino);
  const bool wanted = is_wanted(path, entry);
  if (std::ranges::find(outputs_, identity) != outputs_.end()) return std::nullopt;
  if (!wanted || is_ignored(from_root(path), entry)) {
    ++left_out_;
    return std::nullopt;
  }
  return Found{.name = is_folder ? name + "/" : name, .entry = entry};
}

bool FolderWalk::is_wanted(std::string_view path, Entry entry) {
  const bool included =
      entry == Entry::folder || include_.empty() || include_.any_matches(path, folder_size_, entry);
  return !exclude_.any_matches(path, folder_size_, entry) && included;
}

// The last pattern that matches decides, of the nearest .gitignore file that has one.
bool FolderWalk::is_ignored(std::string_view path_from_root, Entry entry) const {
  for (auto file = ignored_.rbegin(); file != ignored_.rend(); ++file) {
    const auto path = path_from_root.substr(file->base);
    for (auto pattern = file->patterns.rbegin(); pattern != file->patterns.rend(); ++pattern)
      if (pattern->matches(path, entry)) return !pattern->negated();
  }
  return false;
}

std::string FolderWalk::from_root(std::string_view path) const {
  return above_ + std::string(path.substr(folder_size_));
}

// False if there are none.
bool FolderWalk::add_patterns(const std::string& file, size_t base) {
  Ignored ignored = {.base = base, .patterns = {}};
  try {
    if (!is_file(file)) return false;
    for (const auto& line : split(read_text(file), '\n')) {
      if (auto pattern = PathPattern::of_line(line)) ignored.patterns.push_back(std::move(*pattern));
    }
  } catch (const Error& error) {
    warn_(error.what());
  }
  if (ignored.patterns.empty()) return false;
  ignored_.push_back(std::move(ignored));
  return true;
}

}  // namespace bert::io
