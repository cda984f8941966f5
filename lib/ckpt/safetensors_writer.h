// Writes the safetensors format (see safetensors.h), byte for byte like the reference library: metadata
// first, then tensors in descending order of element size, then by name; the header is padded with spaces so
// that data starts at a multiple of 8. Equal tensors give equal bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/dtype.h"

namespace bert::ckpt {

struct TensorToWrite {
  std::string name;            // name in the file
  std::vector<int64_t> shape;  // [] for a scalar
  std::span<const std::byte> data;
  Dtype dtype = Dtype::f32;    // format of `data`
  std::optional<Dtype> store;  // format in the file: f32, f16 or bf16 for floating-point data; default: dtype
  bool transposed = false;     // data is column-major (see StoredTensor); the file is row-major

  std::vector<float> scales = {};  // of the rows of integers, see quantized.h; not written

  // If set, supplies the data instead. Called once, when the tensor is written, so that not all tensors need
  // to be in memory. The result must be valid until the next call for any tensor of the file.
  std::function<std::span<const std::byte>()> load;
};

struct WrittenFile {
  int64_t bytes = 0;
  uint64_t checksum = 0;  // base/checksum.h, of the whole file
};

// The header, from its length to its padding, and the order of the tensors after it.
struct SafetensorsHeader {
  std::string bytes;
  std::vector<size_t> order;
};
SafetensorsHeader safetensors_header(std::span<const TensorToWrite> tensors);

// The file appears when it is complete and synced to disk. Data is copied directly to the file, or converted
// in blocks of 1 MiB. Error if a value does not fit the stored format.
WrittenFile write_safetensors(const std::string& path, std::span<const TensorToWrite> tensors);

}  // namespace bert::ckpt
