// Positions of all records in the FILEs (16 bytes each), for reading records in any order and repeatedly.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/checksum.h"
#include "base/file.h"
#include "io/document_context.h"
#include "io/record_reader.h"
#include "io/stream.h"

namespace bert::io {

// An unnamed temporary file below $TMPDIR that holds bytes to be read again. The system deletes it when the
// process ends.
class Spool {
 public:
  // Returns the offset of the appended bytes. The Error names the directory.
  uint64_t append(std::string_view bytes);
  // Fills `bytes` with those at the offset.
  void read(uint64_t offset, std::string& bytes) const;
  int fd() const { return file_.get(); }  // -1 before the first append

 private:
  FileDescriptor file_;
  uint64_t size_ = 0;
};

// Whether all inputs are regular files; false for stdin in any case. Error if a FILE does not exist.
bool can_read_again(const std::vector<std::string>& files);

// Identifies a record by its bytes and, in a table, the names of the columns.
uint64_t fingerprint(const Source& source, std::string_view record);

class RecordIndex {
 public:
  // Reads the FILEs of `options` once. Requires can_read_again(). checked: also computes checksum() and
  // fingerprints (8 bytes each).
  enum class Contents { located, checked };
  explicit RecordIndex(const StreamOptions& options, Contents contents = Contents::located);

  int64_t size() const { return entries_.size(); }
  int64_t bytes() const { return bytes_; }                 // total size of the FILEs
  uint64_t checksum() const { return checksum_.value(); }  // base/checksum.h, of all records
  uint64_t fingerprint_of(int64_t i) const { return fingerprints_[i]; }

  // Record `i` in input order; its place is first_record + i. Error if its FILE has changed since the index
  // was built. Generated records (is_made) are read from a temporary copy.
  RawRecord read(int64_t i) const;
  // The first of the records from `begin` to `end`: at least one, and more if they are near each other and
  // small. Any thread may call it.
  std::vector<RawRecord> read_some(int64_t begin, int64_t end) const;
  // Prefetches the bytes of record `i`.
  void will_read(int64_t i) const;

  // Forgets the records for which `chosen` is not `value`; checksum() remains that of all.
  void keep(const std::vector<bool>& chosen, bool value);

  // Marks a record permanently as bad.
  void mark_bad(int64_t i) { entries_[i].bad = 1; }
  bool is_bad(int64_t i) const { return entries_[i].bad != 0; }

 private:
  struct Entry {
    uint64_t offset : 47, bad : 1, file : 16;
    uint32_t size, line;
  };
  static_assert(sizeof(Entry) == 16);

  // A FILE and its state when it was indexed.
  struct File {
    std::string name;
    FileState found;
    FileDescriptor kept;  // open descriptor, for the first FILEs only
    std::shared_ptr<const Source> source;
  };

  void add(const StreamOptions& options, const std::string& name);
  void add(const Chunk& chunk, File& file, SentenceReader& sentences);
  bool is_made(const Entry& entry) const;
  std::string bytes_of(const Entry& entry) const;  // with padding
  Context context(int64_t i) const;
  std::string bytes_of(const File& file, uint64_t offset, uint64_t size) const;

  int64_t first_place_;
  const Contents contents_;
  const int64_t context_words_;
  const SentenceReader::Options sentences_;
  Checksum checksum_;
  int64_t bytes_ = 0;
  std::vector<File> files_;
  Spool made_;
  std::deque<Entry> entries_;  // a vector would need twice the memory while growing
  std::deque<uint64_t> fingerprints_;
  std::deque<int64_t> documents_;  // of each record, if it has a context
};

}  // namespace bert::io
