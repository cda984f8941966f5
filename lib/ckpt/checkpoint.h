// The weights of a model directory as named tensors, whatever files they come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.h"

namespace bert::ckpt {

// A tensor as it lies in a mapped file; valid as long as its Checkpoint.
struct StoredTensor {
  std::string name;             // canonical: Hugging Face's, without the "bert." prefix, LayerNorm.weight and .bias
  std::string file;             // for messages
  Dtype dtype = Dtype::f32;
  std::vector<int64_t> shape;   // [] for a scalar
  std::span<const std::byte> data;  // row-major, little-endian, may be unaligned

  int64_t count() const;        // of numbers
};

class Checkpoint {
 public:
  // Opens model.safetensors (single, or sharded by model.safetensors.index.json) of a model directory.
  static Checkpoint open(const std::string& directory);
  // One safetensors file by path (modules of sentence-transformers); names as they stand, not made canonical.
  static Checkpoint open_file(const std::string& path);

  const std::vector<StoredTensor>& tensors() const;  // sorted by name
  const StoredTensor* find(std::string_view name) const;  // nullptr when absent

  // The floating-point tensor `name`, which must be of `shape`; Error names file, tensor, found and expected.
  const StoredTensor& get(std::string_view name, std::span<const int64_t> shape) const;
};

}  // namespace bert::ckpt
