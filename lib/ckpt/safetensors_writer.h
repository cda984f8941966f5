// Writing the safetensors format (see safetensors.h), byte for byte as its own library does: metadata first,
// wider numbers before narrower ones, then by name; the header padded with spaces so that data begins at a
// multiple of 8. Equal tensors give equal bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/dtype.h"

namespace bert::ckpt {

struct TensorToWrite {
  std::string name;            // as it is to stand in the file
  std::vector<int64_t> shape;  // [] for a scalar
  std::span<const std::byte> data;
  Dtype dtype = Dtype::f32;    // of data
  std::optional<Dtype> store;  // in the file, f32, f16 or bf16 of floating data; without it as data is
  bool transposed = false;     // data is a matrix column by column (see StoredTensor); the file has rows
};

struct WrittenFile {
  int64_t bytes = 0;
  uint64_t checksum = 0;  // base/checksum.h, of all the bytes
};

// The header, from its length to its padding, and the order in which the tensors follow it.
struct SafetensorsHeader {
  std::string bytes;
  std::vector<size_t> order;
};
SafetensorsHeader safetensors_header(std::span<const TensorToWrite> tensors);

// The file appears when it is complete and on the disk. Numbers go from where they are to the file, 1 MiB at
// a time when they are converted. Error when one does not fit the format stored.
WrittenFile write_safetensors(const std::string& path, std::span<const TensorToWrite> tensors);

}  // namespace bert::ckpt
