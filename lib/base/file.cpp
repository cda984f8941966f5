#include "base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>

#include "base/error.h"

namespace bert {

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) ::close(fd_);
}

FileDescriptor FileDescriptor::open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw Error(path, ": ", std::strerror(errno));
  return FileDescriptor(fd);
}

namespace {

FileState state_of(const struct stat& info) {
  return {.device = info.st_dev,
          .inode = info.st_ino,
          .size = info.st_size,
          .seconds = info.st_mtim.tv_sec,
          .nanoseconds = info.st_mtim.tv_nsec};
}

}  // namespace

FileState FileState::of(const std::string& path) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0) throw Error(path, ": ", std::strerror(errno));
  return state_of(info);
}

FileState FileState::of(const FileDescriptor& file, const std::string& path) {
  struct stat info;
  if (::fstat(file.get(), &info) != 0) throw Error(path, ": ", std::strerror(errno));
  return state_of(info);
}

void throw_changed(const std::string& path) {
  throw Error(path, ": has changed during the run; FILEs must not change until the end");
}

MappedFile::MappedFile(const std::string& path) : path_(path), file_(FileDescriptor::open(path)) {
  struct stat info;
  if (::fstat(file_.get(), &info) != 0) throw Error(path, ": ", std::strerror(errno));
  if (!S_ISREG(info.st_mode)) throw Error(path, ": is not a regular file");
  size_ = info.st_size;
  state_ = state_of(info);
  if (size_ == 0) return;
  void* memory = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file_.get(), 0);
  if (memory == MAP_FAILED) throw Error(path, ": ", std::strerror(errno));
  data_ = static_cast<const std::byte*>(memory);
  name_on_bus_error_ = std::make_unique<NameOnBusError>(data_, size_, path);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::move(other.file_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      state_(other.state_),
      name_on_bus_error_(std::move(other.name_on_bus_error_)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(file_, other.file_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(state_, other.state_);
  std::swap(name_on_bus_error_, other.name_on_bus_error_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

void MappedFile::read(size_t offset, std::span<std::byte> to) const {
  while (!to.empty()) {
    const ssize_t count = ::pread(file_.get(), to.data(), to.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Error(path_, ": ", std::strerror(errno));
    if (count == 0) throw Error(path_, ": cannot be read: the file was truncated");
    offset += count;
    to = to.subspan(count);
  }
}

void MappedFile::release(std::span<const std::byte> part) {
  const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<uintptr_t>(part.data()) + page - 1) / page * page;
  const auto end = reinterpret_cast<uintptr_t>(part.data() + part.size()) / page * page;
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

void MappedFile::require_unchanged() const {
  if (FileState::of(file_, path_) != state_) throw_changed(path_);
}

std::string read_file(const std::string& path) { return read_rest(FileDescriptor::open(path), path); }

std::string read_text(const std::string& path) {
  auto text = read_file(path);
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  return text;
}

std::string_view without_byte_order_mark(std::string_view text) {
  return text.substr(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
}

std::string read_rest(const FileDescriptor& file, const std::string& path) {
  std::string text;
  char block[1 << 16];
  for (;;) {
    const ssize_t count = ::read(file.get(), block, sizeof block);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Error(path, ": ", std::strerror(errno));
    if (count == 0) return text;
    text.append(block, count);
  }
}

FileKind kind_of(const std::string& path) {
  struct stat info;
  if (::lstat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return FileKind::absent;
    throw Error(path, ": ", std::strerror(errno));
  }
  if (S_ISLNK(info.st_mode) && ::stat(path.c_str(), &info) != 0) {
    throw Error(path, ": ", errno == ENOENT ? "is a broken symbolic link" : std::strerror(errno));
  }
  if (S_ISREG(info.st_mode)) return FileKind::regular;
  return S_ISDIR(info.st_mode) ? FileKind::directory : FileKind::other;
}

void require_space(const std::string& path, uint64_t bytes) {
  constexpr uint64_t kMegabyte = 1'000'000;
  std::filesystem::path place(path);
  while (kind_of(place.string()) == FileKind::absent)
    place = place.has_parent_path() ? place.parent_path() : std::filesystem::path(".");
  if (!is_directory(place.string())) throw Error(place.string(), ": is not a directory");
  if (::access(place.c_str(), W_OK | X_OK) != 0) throw Error(path, ": ", std::strerror(errno));
  struct statvfs info;
  if (::statvfs(place.c_str(), &info) != 0 || info.f_blocks == 0) return;  // the size is unknown
  const uint64_t free = uint64_t{info.f_bavail} * info.f_frsize;
  if (free < bytes)
    throw Error(path, ": needs ", (bytes + kMegabyte - 1) / kMegabyte, " MB, but only ", free / kMegabyte,
                " MB are free");
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code failure;
  return a != "-" && b != "-" && std::filesystem::equivalent(a, b, failure) && !failure;
}

bool is_inside(const std::string& path, const std::string& directory) {
  std::error_code failure;
  const auto folder = std::filesystem::canonical(directory, failure);
  if (failure) return false;
  const auto place = std::filesystem::canonical(path, failure);
  if (failure || place == folder) return false;
  return std::ranges::mismatch(folder, place).in1 == folder.end();
}

std::vector<std::string> names_in_directory(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code failure;
  std::filesystem::directory_iterator entry(directory, failure);
  for (; !failure && entry != std::filesystem::end(entry); entry.increment(failure))
    names.push_back(entry->path().filename().string());
  if (failure) throw Error(directory, ": cannot be listed: ", failure.message());
  std::ranges::sort(names);
  return names;
}

}  // namespace bert
