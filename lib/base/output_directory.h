// A directory that appears only when it is complete.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/signals.h"

namespace bert {

// Files are written to a directory ".NAME.1f0c….tmp" beside NAME, which takes its name in commit(). Without
// commit nothing appears. Where NAME holds something already, the two directories change places in one
// operation of the file system, so that one of them is there, whole, at any moment. Where the file system has
// no such operation, or NAME is a mount point, the files are moved one by one in the order in which they were
// asked for.
class OutputDirectory {
 public:
  // Which entries of the directory that is replaced go on in the new one, by name; files written anew do not.
  using Keep = std::function<bool(const std::string& name)>;

  // Makes the directories on the way to `path`, and finishes what a killed process left.
  OutputDirectory(const std::string& path, Keep keep);
  ~OutputDirectory();
  OutputDirectory(const OutputDirectory&) = delete;
  OutputDirectory& operator=(const OutputDirectory&) = delete;

  // Where the file `name` of the directory is to be written, which the caller brings to the disk
  // (OutputFile::commit does); or a folder, which takes the place of one with all that was in it.
  std::string file(const std::string& name);

  // Runs what writes the files. An Error that names one by its path until commit() names it by the one that
  // it will have.
  template <class Write>
  void write(const Write& files) const {
    try {
      files();
    } catch (const std::exception& error) {
      throw Error(with_final_names(message_of(error)));
    }
  }

  // Makes sure that the names have reached the disk, and gives the directory its own.
  void commit();

  // Removes directories that killed processes left for `path` (not those of living ones); what `keep` wants
  // of them is moved to `path` first: the process may have died between the exchange and that.
  static void clear_leftovers(const std::string& path, const Keep& keep);

 private:
  void move_in_place();
  std::string with_final_names(std::string message) const;

  std::string path_;                         // as it was given
  std::string target_;                       // absolute, through symbolic links
  std::string staging_;                      // "" after commit
  std::unique_ptr<RemoveOnSignal> removal_;  // of staging_
  bool inside_ = false;                      // staging_ is in target_, not beside it
  Keep keep_;
  std::vector<std::string> names_;      // of files, in the order asked for
  FileDescriptor new_lock_, old_lock_;  // tell clear_leftovers of other processes to leave them alone
  FileDescriptor spare_;                // closed to remove staging_, where there may be no other
};

// Brings the names in a directory to the disk.
void sync_directory(const std::string& path);

// Removes a directory that others may be looking for, all of it at once: it loses its name first.
void remove_directory(const std::string& path);

}  // namespace bert
