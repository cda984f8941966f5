// The weights of a model directory as named tensors, in any supported file format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.h"
#include "base/file.h"

namespace bert::ckpt {

// A tensor in a mapped file; valid for the lifetime of its Checkpoint.
struct StoredTensor {
  std::string name;  // canonical: Hugging Face's, without the "bert." prefix, LayerNorm.weight and .bias
  std::string file;  // used in messages
  Dtype dtype = Dtype::f32;
  std::vector<int64_t> shape;       // [] for a scalar
  std::span<const std::byte> data;  // row-major, little-endian, may be unaligned
  // A matrix stored in column-major order: `shape` is [N,K], `data` is [K,N]. TensorFlow stores the matrices
  // of linear layers this way, and so do PyTorch files converted from TensorFlow.
  bool transposed = false;
  std::vector<float> scales = {};  // of the rows of quantized weights, see quantized.h

  int64_t count() const;  // number of elements
  bool is_real() const { return is_floating(dtype) || !scales.empty(); }
};

// Converts all elements of a tensor of real numbers to f32, in row-major order.
void to_f32(const StoredTensor& tensor, std::span<float> to);

// Whether format, shape and all bits are equal. Reads both tensors completely.
bool equal(const StoredTensor& a, const StoredTensor& b);

std::string shape_text(std::span<const int64_t> shape);  // "[768, 3072]", used in messages

// A tensor whose format has no Dtype (8-bit floats, …) or whose strides are not supported. The file is
// rejected only if this tensor is requested.
struct UnreadTensor {
  std::string name;
  std::string file;
  std::string dtype;  // as in the file, or a description

  bool operator==(const UnreadTensor&) const = default;
};

// The tensors in a set of files; the spans point into the mapped files.
struct Contents {
  std::vector<StoredTensor> tensors;
  std::vector<UnreadTensor> unread;
};

// Whether to verify the checksums of tensors in a TensorFlow checkpoint, which reads all data.
enum class DataSums { check, leave };

// Opening verifies all metadata of the files and reads no tensor data, except for TensorFlow's checksums.
// const methods are thread-safe.
class Checkpoint {
 public:
  // Opens the weights of a model directory or of a file, in any format (forms.h). Error (one line) if there
  // are none or they are invalid.
  static Checkpoint open(const std::string& path, DataSums sums = DataSums::check);
  // Opens one file by path. Tensor names are those in the file, not canonical.
  static Checkpoint open_file(const std::string& path);

  // Reads all data and verifies the checksums that open() does not: those of PyTorch's zip files.
  void check_sums() const;

  const std::vector<StoredTensor>& tensors() const { return contents_.tensors; }  // sorted by name
  const StoredTensor* find(std::string_view name) const;                          // nullptr if absent
  const std::vector<UnreadTensor>& unread() const { return contents_.unread; }

  // Copies a part of a tensor's data, as MappedFile::read does.
  void read(std::span<const std::byte> part, std::byte* to) const;

  // The tensor of real numbers `name`, which must have this shape. The Error names file, tensor, actual and
  // expected shape.
  const StoredTensor& get(std::string_view name, std::span<const int64_t> shape) const;

 private:
  Checkpoint(std::string path, std::vector<MappedFile> files, Contents contents);

  std::string path_;  // used in messages: the file, or the index of several
  std::vector<MappedFile> files_;
  Contents contents_;
};

// Names the first tensor with a number that is not finite; "" if there is none. Reads all data.
std::string fault_of(const Checkpoint& checkpoint);

// Sharded checkpoints: model.safetensors.index.json or pytorch_model.bin.index.json maps each tensor to its
// file.
//
//   {"metadata": {"total_size": 24}, "weight_map": {"a": "model-00001-of-00002.safetensors", …}}
//
// Maps the shards named in the index at `path`, which are in the same directory, appends them to `files` and
// returns their contents. Error unless each tensor is in the file given by the index, and in no other.
Contents read_shards(const std::string& path, std::vector<MappedFile>& files);

}  // namespace bert::ckpt
