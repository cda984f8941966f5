// An output directory that appears only when it is complete.
#pragma once

#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/signals.h"

namespace bert {

// Files are written to a temporary directory ".NAME.1f0c….tmp" beside NAME, which commit() renames to NAME.
// Without commit nothing appears. If NAME already exists, the two directories are exchanged in one atomic
// operation, so NAME is complete at any moment. If the file system does not support this, or NAME cannot be
// renamed (a mount point, the working directory), the files are moved one by one in the order in which they
// were requested.
class OutputDirectory {
 public:
  // Selects which entries of the replaced directory are kept. Files written by this run take precedence.
  using Keep = std::function<bool(const std::filesystem::path& entry)>;

  // Creates the parent directories of `path` and cleans up after killed processes.
  OutputDirectory(const std::string& path, Keep keep);
  ~OutputDirectory();
  OutputDirectory(const OutputDirectory&) = delete;
  OutputDirectory& operator=(const OutputDirectory&) = delete;

  // The path at which the caller writes the file `name` and syncs it to disk (OutputFile::commit does). May
  // also be a directory, which replaces an existing one together with its contents.
  std::string file(const std::string& name);
  const std::string& folder() const { return staging_; }  // where the files are until then

  // Runs `files`, which writes the files. In its Errors, temporary paths are replaced by final ones.
  template <class Write>
  void write(const Write& files) const {
    try {
      files();
    } catch (const std::exception& error) {
      throw Error(with_final_names(message_of(error)));
    }
  }

  // Syncs the directory entries to disk and gives the directory its final name.
  void commit();

  // Removes temporary directories of killed processes for `path`, not those of running ones. Entries that
  // `keep` selects are first moved to `path`, in case the process was killed after the exchange and before it
  // moved them.
  static void clear_leftovers(const std::string& path, const Keep& keep);

 private:
  void move_in_place();
  std::string with_final_names(std::string message) const;

  std::string path_;                         // as given
  std::string target_;                       // absolute, symbolic links resolved
  std::string staging_;                      // "" after commit
  std::unique_ptr<RemoveOnSignal> removal_;  // of staging_
  bool inside_ = false;                      // staging_ is inside target_, not beside it
  Keep keep_;
  std::vector<std::string> names_;      // files in the order requested
  FileDescriptor new_lock_, old_lock_;  // held so that clear_leftovers in other processes skips the directory
  FileDescriptor spare_;                // closed before staging_ is removed, which needs a free descriptor
};

// Syncs the entries of a directory to disk.
void sync_directory(const std::string& path);

// Renames the directory, then removes it, so that other processes see it disappear at once.
void remove_directory(const std::string& path);

}  // namespace bert
