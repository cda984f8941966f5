// A folder with an index of files, which is kept up to date (see refresh.h):
//
//   index.jsonl         the manifest: a line about the index, then a line for each file
//   vectors-ID.npy      the vectors, with their sidecar (see heads::Sidecar); rows of 0 numbers: no vectors
//   records-ID.jsonl    the records, in the same order: file by file, as in the manifest;
//                       perhaps with weights of words (see io/sparse_weights.h)
//   part-NNNNNN.jsonl   a manifest of files that were embedded by a run that has not ended
//   lock                locked while the folder is read or written
//
// A manifest gets its name when what it names is complete and on disk, so whatever happens, the folder has
// the index of before or the new one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/index_files.h"
#include "search/asked_fields.h"

namespace bert::search {

// What the index has of a file.
struct IndexedFile {
  std::string path;
  int64_t size = 0;
  int64_t time = 0;  // of modification in ns; 0: was too recent to tell later changes, so contents decide
  std::string checksum;
  int64_t records = 0, bytes = 0;  // bytes of the records

  bool operator==(const IndexedFile&) const = default;
};

struct Manifest {
  std::string vectors, records;  // names in the folder
  std::string model;             // the text of a heads::VectorModel
  std::string directory;         // of the model
  int64_t width = 0;             // numbers in a vector; 0: there are no vectors
  // The same for the weights of words; "": there are none.
  std::string weights_model = {}, weights_directory = {};
  std::string settings;  // JSON: what else changes all records
  AskedFields fields;    // what changes those with fields
  std::vector<IndexedFile> files;
  int64_t version = kVersion;  // if it is another one, only the directory is known

  static constexpr int64_t kVersion = 2;

  bool is_current() const { return version == kVersion; }
  bool has_vectors() const { return width > 0; }
  bool has_weights() const { return !weights_model.empty(); }
  void write(const std::string& path) const;
  static Manifest read(const std::string& path);
};

class IndexFolder {
 public:
  explicit IndexFolder(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  std::string at(std::string_view name) const { return path_ + "/" + std::string(name); }
  std::string manifest_path() const { return at(kIndexManifest); }
  bool exists() const { return kind_of(manifest_path()) == FileKind::regular; }
  Manifest read() const { return Manifest::read(manifest_path()); }
  Manifest read_current() const;  // Error if it is of another version

  // Throws Error if the folder has files that no index has.
  void create() const;
  std::vector<std::string> parts() const;  // names of the manifests of an unfinished run
  void remove_parts() const;               // and what they name
  // Removes all but these names and the lock; only names that an index may have.
  void remove_all_but(const std::vector<std::string>& names) const;

  // Others wait until the descriptor is closed: writers for all, readers for writers. A reader does without
  // if there is no lock, as on a disk that cannot be written.
  enum class Access { read, write };
  FileDescriptor lock(Access access) const;

 private:
  std::string path_;
};

}  // namespace bert::search
