// Files for tests: a temporary folder, and a safetensors writer that also writes invalid headers.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace bert {

class Folder {
 public:
  Folder() {
    auto pattern = (std::filesystem::temp_directory_path() / "bert-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }

  std::string path(std::string_view name = "") const { return (path_ / name).string(); }

  // Writes a file, creating its parent folders, and returns its path.
  std::string write(std::string_view name, std::string_view bytes) const {
    const auto file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::filesystem::remove(file);  // ext4 flushes overwritten files, which takes milliseconds
    std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return file.string();
  }

 private:
  std::filesystem::path path_;
};

inline std::string u64(uint64_t value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

// A file with the given header, valid or not.
inline std::string safetensors(std::string_view header, std::string_view data) {
  return u64(header.size()) + std::string(header) + std::string(data);
}

struct WrittenTensor {
  std::string name;
  std::string dtype;
  std::vector<int64_t> shape;
  std::string bytes;
};

inline WrittenTensor f32(std::string name, std::vector<int64_t> shape, std::vector<float> values) {
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return {std::move(name), "F32", std::move(shape), std::move(bytes)};
}

inline std::string header_entry(const WrittenTensor& tensor, uint64_t begin, uint64_t end) {
  std::string shape;
  for (const auto extent : tensor.shape) shape += (shape.empty() ? "" : ",") + std::to_string(extent);
  return "\"" + tensor.name + R"(":{"dtype":")" + tensor.dtype + R"(","shape":[)" + shape +
         R"(],"data_offsets":[)" + std::to_string(begin) + "," + std::to_string(end) + "]}";
}

// A valid file.
inline std::string safetensors(const std::vector<WrittenTensor>& tensors) {
  std::string header = R"({"__metadata__":{"format":"pt"})";
  std::string data;
  for (const auto& tensor : tensors) {
    header += "," + header_entry(tensor, data.size(), data.size() + tensor.bytes.size());
    data += tensor.bytes;
  }
  return safetensors(header + "}", data);
}

}  // namespace bert
