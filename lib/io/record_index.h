// Where each record of FILEs stands, so that records can be read in any order and as often as one likes: 16
// bytes a record.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "io/raw_record.h"
#include "io/spool.h"
#include "io/stream.h"

namespace bert::io {

// Whether all inputs are regular files; stdin is not, whatever it is. Error when a FILE is not there.
bool can_read_again(const std::vector<std::string>& files);

class RecordIndex {
 public:
  // Reads the FILEs of `options` once; they can_read_again().
  explicit RecordIndex(const StreamOptions& options);

  int64_t size() const { return static_cast<int64_t>(entries_.size()); }
  int64_t bytes() const { return bytes_; }  // of the FILEs together

  // Record `i` in the order of the inputs, which has place first_record + i. Error when its FILE is not what
  // it was when the index was made; records that are made of it (is_made) have been put aside.
  RawRecord read(int64_t i) const;
  // Lets the system fetch the bytes of record `i` meanwhile.
  void will_read(int64_t i) const;

  // A mark that stays, for whoever finds a record bad.
  void mark_bad(int64_t i) { entries_[static_cast<size_t>(i)].bad = 1; }
  bool is_bad(int64_t i) const { return entries_[static_cast<size_t>(i)].bad != 0; }

 private:
  struct Entry {
    uint64_t offset : 47, bad : 1, file : 16;
    uint32_t size, line;
  };
  static_assert(sizeof(Entry) == 16);

  // A FILE, and how it was found.
  struct File {
    std::string name;
    struct stat found;
    FileDescriptor kept;  // open, for the first FILEs
    std::shared_ptr<const Source> source;
  };

  void add(const StreamOptions& options, const std::string& name);
  void add(const Chunk& chunk, File& file);
  bool is_made(const Entry& entry) const;

  int64_t first_place_;
  int64_t bytes_ = 0;
  std::vector<File> files_;
  Spool made_;
  std::deque<Entry> entries_;  // a vector would need twice the memory while it grows
};

}  // namespace bert::io
