// Files written by fuzz targets for code that reads files, in memory if the system has /dev/shm.
#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace bert::fuzz {

class Files {
 public:
  Files() {
    const auto folder = ::access("/dev/shm", W_OK) == 0 ? std::filesystem::path("/dev/shm")
                                                        : std::filesystem::temp_directory_path();
    std::string name = folder / "bert-fuzz-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw Error(name, ": cannot be made");
    path_ = name;
  }
  ~Files() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Files(const Files&) = delete;

  const std::string& path() const { return path_; }

  // Returns its path. An existing file is overwritten in place, which takes half the time of replacing it.
  std::string write(const std::string& name, std::string_view bytes) const {
    auto path = path_ + "/" + name;
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || ::write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
      throw Error(path, ": cannot be written");
    ::close(file);
    return path;
  }

 private:
  std::string path_;
};

inline std::string_view text_of(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Splits an input at NULs into several files; the last one gets the rest.
inline std::vector<std::string_view> parts_of(std::string_view text, size_t count) {
  std::vector<std::string_view> parts;
  while (parts.size() + 1 < count) {
    const size_t end = text.find('\0');
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  parts.push_back(text);
  return parts;
}

// Runs `read`. A one-line Error is a valid result; any other exception ends the program.
template <class Read>
void answered(const Read& read) {
  try {
    read();
  } catch (const Error& error) {
    const std::string_view message = error.what();
    if (message.empty()) std::abort();
  }
}

}  // namespace bert::fuzz
