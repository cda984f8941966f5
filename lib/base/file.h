// Owners of what the operating system lends: descriptors and mapped files.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
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

  // Opens for reading; an Error names the path and the system's reason.
  static FileDescriptor open(const std::string& path);
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }  // gives it to the caller to close

 private:
  int fd_ = -1;
};

// A whole file, read-only in memory for as long as this lives. The pages come from the page cache as they are
// touched.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  const std::string& path() const { return path_; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }
  std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }

  // Copies to.size() bytes from `offset` on without mapping them, so that they do not count as this process's
  // memory. Error where the file has become shorter.
  void read(size_t offset, std::span<std::byte> to) const;

  // Lets go of the memory behind `part` (whole pages inside it only); reading it again maps it again.
  static void release(std::span<const std::byte> part);

 private:
  std::string path_;
  FileDescriptor file_;
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
  std::unique_ptr<NameOnBusError> name_on_bus_error_;
};

// The whole of a small file.
std::string read_file(const std::string& path);

enum class FileKind { absent, regular, directory, other };

// What a name stands for, through symbolic links. Only a name that is not there is absent: an Error is thrown
// for a broken link and wherever the system cannot tell.
FileKind kind_of(const std::string& path);
inline bool is_file(const std::string& path) { return kind_of(path) == FileKind::regular; }
inline bool is_directory(const std::string& path) { return kind_of(path) == FileKind::directory; }

// The names in a directory, sorted. Error when they cannot be read to the end.
std::vector<std::string> names_in_directory(const std::string& directory);

}  // namespace bert
