#include "base/output_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/output_file.h"

namespace bert {
namespace {

namespace fs = std::filesystem;

constexpr size_t kDigits = 16;
constexpr std::string_view kSuffix = ".tmp";

// ".NAME." + digits + ".tmp"
std::string unused_name(const std::string& name) {
  uint64_t random = 0;
  if (::getrandom(&random, sizeof random, 0) != sizeof random)
    throw Error(name, ": no random numbers for a temporary name: ", std::strerror(errno));
  char digits[kDigits + 1];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(random));
  return "." + name + "." + digits + std::string(kSuffix);
}

bool is_leftover(std::string_view entry, std::string_view name) {
  if (entry.size() != name.size() + 2 + kDigits + kSuffix.size()) return false;
  const auto digits = entry.substr(name.size() + 2, kDigits);
  return entry[0] == '.' && entry.substr(1, name.size()) == name && entry[name.size() + 1] == '.' &&
         digits.find_first_not_of("0123456789abcdef") == digits.npos && entry.ends_with(kSuffix);
}

// The name needs room for that of the temporary directory, and the system's own limit is reported too late.
void require_short(const std::string& path, const fs::path& target) {
  constexpr size_t kMostBytes = NAME_MAX - 2 - kDigits - kSuffix.size();
  const auto name = target.filename().string();
  if (name.size() > kMostBytes)
    throw Error(path, ": the name of the output directory has ", name.size(), " bytes, expected at most ",
                kMostBytes);
}

// Absolute, with symbolic links resolved as far as the path exists, and without a trailing slash.
fs::path resolved(const std::string& path) {
  if (path.empty()) throw Error("the output directory has an empty name");
  require_short(path, (fs::absolute(path) / ".").lexically_normal().parent_path());
  std::error_code error;
  auto target = fs::weakly_canonical(fs::absolute(path), error);
  if (error) throw Error(path, ": ", error.message());
  if (!target.has_filename()) target = target.parent_path();
  require_short(path, target);
  return target;
}

// Whether it exists and must not be renamed: a mount point, the working directory, or a directory whose
// parent is not writable.
bool is_fixed(const fs::path& target) {
  struct statx info;
  if (::statx(AT_FDCWD, target.c_str(), 0, STATX_BASIC_STATS, &info) != 0) return false;
  struct stat parent;
  if (::stat(target.parent_path().c_str(), &parent) != 0) return true;
  struct stat here, itself;  // a shell's working directory must not be exchanged
  if (::stat(".", &here) != 0 || ::stat(target.c_str(), &itself) != 0) return true;
  if (here.st_dev == itself.st_dev && here.st_ino == itself.st_ino) return true;
  return (info.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0 ||
         parent.st_dev != makedev(info.stx_dev_major, info.stx_dev_minor) ||
         ::access(target.parent_path().c_str(), W_OK) != 0;
}

std::vector<fs::path> leftovers_of(const fs::path& target) {
  std::vector<fs::path> found;
  for (const auto& directory : {target.parent_path(), target}) {
    if (!is_directory(directory.string())) continue;
    for (const auto& name : names_in_directory(directory.string())) {
      if (is_leftover(name, target.filename().string())) found.push_back(directory / name);
    }
  }
  return found;
}

// The entries of `from` that `keep` selects and that `to` does not have, without temporary files of killed
// processes.
std::vector<std::string> kept_entries(const fs::path& from, const fs::path& to,
                                      const OutputDirectory::Keep& keep) {
  auto names = names_in_directory(from.string());
  std::erase_if(names, [&](const auto& name) {
    std::error_code none;
    return !keep(from / name) || is_temporary_name(name) || fs::exists(fs::symlink_status(to / name, none));
  });
  return names;
}

// Syncs the entries of a directory and of those inside to disk; false if that fails. Other files are left
// alone.
bool is_synced(const fs::path& path) {
  try {
    if (!fs::is_directory(fs::symlink_status(path))) return true;
    sync_directory(path.string());
    return std::ranges::all_of(names_in_directory(path.string()),
                               [&](const auto& name) { return is_synced(path / name); });
  } catch (const std::exception&) {
    return false;
  }
}

// Gives `to` hard links to the kept entries, as far as the file system and permissions allow, so that the
// exchange of the two directories loses none of them at any moment.
void link_entries(const fs::path& from, const fs::path& to, const OutputDirectory::Keep& keep) {
  constexpr auto how =
      fs::copy_options::recursive | fs::copy_options::create_hard_links | fs::copy_options::copy_symlinks;
  for (const auto& name : kept_entries(from, to, keep)) {
    std::error_code error;
    fs::copy(from / name, to / name, how, error);
    if (!error && is_synced(to / name)) continue;
    fs::remove_all(to / name, error);  // a part would take the place of the whole
    if (error) throw Error((from / name).string(), ": ", error.message());
  }
}

void move_entries(const fs::path& from, const fs::path& to, const OutputDirectory::Keep& keep) {
  for (const auto& name : kept_entries(from, to, keep)) {
    const auto entry = from / name, place = to / name;
    std::error_code error;
    fs::create_directories(to, error);
    if (!error) fs::rename(entry, place, error);
    if (error) throw Error(place.string(), ": ", error.message());
  }
}

// A lock held until the descriptor closes; empty if another process holds it or the file system has no locks.
FileDescriptor lock(const fs::path& directory) {
  FileDescriptor file(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file.get() < 0 || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return {};
  return file;
}

// Whether a running process still uses it.
bool in_use(const fs::path& directory) {
  const FileDescriptor file(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return file.get() >= 0 && ::flock(file.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

void remove_tree(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) throw Error(path.string(), ": cannot be removed: ", error.message());
}

}  // namespace

void sync_directory(const std::string& path) {
  const auto directory = FileDescriptor::open(path);
  if (::fsync(directory.get()) != 0 && errno != EINVAL) throw Error(path, ": ", std::strerror(errno));
}

void remove_directory(const std::string& path) {
  const fs::path target(path);
  const auto nameless = target.parent_path() / unused_name(target.filename().string());
  if (::rename(path.c_str(), nameless.c_str()) != 0) throw Error(path, ": ", std::strerror(errno));
  remove_tree(nameless);
}

void OutputDirectory::clear_leftovers(const std::string& path, const Keep& keep) {
  const auto target = resolved(path);
  for (const auto& leftover : leftovers_of(target)) {
    if (in_use(leftover)) continue;
    move_entries(leftover, target, keep);
    remove_tree(leftover);
  }
}

OutputDirectory::OutputDirectory(const std::string& path, Keep keep) : path_(path), keep_(std::move(keep)) {
  const auto target = resolved(path);
  target_ = target.string();
  if (const auto kind = kind_of(target_); kind != FileKind::absent && kind != FileKind::directory)
    throw Error(path, ": is not a directory");
  clear_leftovers(target_, keep_);
  std::error_code error;
  fs::create_directories(target.parent_path(), error);
  if (error) throw Error(target.parent_path().string(), ": ", error.message());
  inside_ = is_fixed(target);
  const auto place = (inside_ ? target : target.parent_path()) / unused_name(target.filename().string());
  new_lock_ = FileDescriptor::open(place.parent_path().string());  // keeps room for the lock
  spare_ = FileDescriptor::open(place.parent_path().string());
  removal_ = std::make_unique<RemoveOnSignal>(place.string());
  if (::mkdir(place.c_str(), 0777) != 0) throw Error(path, ": ", std::strerror(errno));
  staging_ = place.string();
  new_lock_ = {};
  new_lock_ = lock(staging_);
}

OutputDirectory::~OutputDirectory() {
  std::error_code ignored;
  new_lock_ = {};
  spare_ = {};
  if (!staging_.empty()) fs::remove_all(staging_, ignored);
}

std::string OutputDirectory::file(const std::string& name) {
  if (std::ranges::find(names_, name) == names_.end()) names_.push_back(name);
  return (fs::path(staging_) / name).string();
}

void OutputDirectory::commit() {
  if (!inside_ && is_directory(target_)) link_entries(target_, staging_, keep_);
  sync_directory(staging_);
  const DelaySignals together;
  const auto parent = fs::path(target_).parent_path().string();
  if (!inside_ && ::rename(staging_.c_str(), target_.c_str()) == 0) {  // target missing or empty
    staging_.clear();
    removal_.reset();
    return sync_directory(parent);
  }
  if (!inside_ && errno != ENOTEMPTY && errno != EEXIST) throw Error(target_, ": ", std::strerror(errno));
  old_lock_ = lock(target_);  // after the exchange it has the name of a leftover
  if (inside_ || ::renameat2(AT_FDCWD, staging_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) != 0) {
    move_in_place();
    return;
  }
  // Still holds the entries to keep that could not be linked, so it must not be removed before they are
  // moved.
  const auto old = std::exchange(staging_, "");
  sync_directory(parent);
  move_entries(old, target_, keep_);
  sync_directory(target_);
  remove_tree(old);
}

std::string OutputDirectory::with_final_names(std::string message) const {
  const size_t at = staging_.empty() ? message.npos : message.find(staging_);
  return at == message.npos
             ? message
             : message.replace(at, staging_.size(), fs::path(path_ + "/.").parent_path().string());
}

void OutputDirectory::move_in_place() {
  for (const auto& name : names_) {
    const auto from = fs::path(staging_) / name, to = fs::path(target_) / name;
    if (std::error_code none; fs::is_directory(to, none)) remove_tree(to);
    if (::rename(from.c_str(), to.c_str()) != 0) throw Error(to.string(), ": ", std::strerror(errno));
  }
  for (const auto& name : names_in_directory(target_)) {
    const auto entry = fs::path(target_) / name;
    if (entry != staging_ && !keep_(entry) && std::ranges::find(names_, name) == names_.end())
      remove_tree(entry);
  }
  sync_directory(target_);
  remove_tree(std::exchange(staging_, ""));
}

}  // namespace bert
