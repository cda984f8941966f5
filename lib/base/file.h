// Owners of operating system resources: file descriptors and mapped files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/signals.h"

namespace bert {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor();

  // Opens for reading. The Error names the path and the system's reason.
  static FileDescriptor open(const std::string& path);
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }  // the caller closes it

 private:
  int fd_ = -1;
};

// Tells whether a file has been written since: another size or time of modification, or another file.
struct FileState {
  uint64_t device = 0, inode = 0;
  int64_t size = 0, seconds = 0, nanoseconds = 0;

  static FileState of(const std::string& path);
  static FileState of(const FileDescriptor& file, const std::string& path);  // `path` is used in messages
  bool operator==(const FileState&) const = default;
};

// The Error of a file that is not in the state in which it was first read.
[[noreturn]] void throw_changed(const std::string& path);

// A whole file mapped read-only for the lifetime of this object. Pages are loaded on first access.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  const std::string& path() const { return path_; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }
  std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }

  // Copies to.size() bytes, starting at `offset`, without mapping them, so that they do not count as memory
  // of this process. Throws an Error if the file has become shorter.
  void read(size_t offset, std::span<std::byte> to) const;

  // Returns the pages that are entirely inside `part` to the system; reading them again reloads them.
  static void release(std::span<const std::byte> part);

  // Throws an Error if the file has been written since it was mapped.
  void require_unchanged() const;

 private:
  std::string path_;
  FileDescriptor file_;
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
  FileState state_;
  std::unique_ptr<NameOnBusError> name_on_bus_error_;
};

// Reads a whole file into memory; for small files.
std::string read_file(const std::string& path);
// The same without a byte order mark at the beginning, which editors on Windows write.
std::string read_text(const std::string& path);
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // of UTF-8
std::string_view without_byte_order_mark(std::string_view text);
// The same from where the descriptor is.
std::string read_rest(const FileDescriptor& file, const std::string& path);

enum class FileKind { absent, regular, directory, other };

// The kind of file `path` names, symbolic links followed. `absent` only if the name does not exist; a broken
// link or any other failure of the system call throws Error.
FileKind kind_of(const std::string& path);
inline bool is_file(const std::string& path) { return kind_of(path) == FileKind::regular; }
inline bool is_directory(const std::string& path) { return kind_of(path) == FileKind::directory; }

// Throws Error if files obviously cannot be made in the directory `path`, or in the nearest existing one
// where it will be made; or if its file system has less than `bytes` free.
void require_space(const std::string& path, uint64_t bytes);

// Whether both paths name the same existing file, also through links. Two "-" are not files.
bool same_file(const std::string& a, const std::string& b);

// Whether the existing path is in the directory or below it, also through links.
bool is_inside(const std::string& path, const std::string& directory);

// The names in a directory, sorted. Error if the directory cannot be read completely.
std::vector<std::string> names_in_directory(const std::string& directory);

}  // namespace bert
