// The weights of a model directory as named tensors, whatever files they come from.
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

// A tensor as it lies in a mapped file; valid as long as its Checkpoint.
struct StoredTensor {
  std::string name;  // canonical: Hugging Face's, without the "bert." prefix, LayerNorm.weight and .bias
  std::string file;  // for messages
  Dtype dtype = Dtype::f32;
  std::vector<int64_t> shape;       // [] for a scalar
  std::span<const std::byte> data;  // row-major, little-endian, may be unaligned
  // A matrix [N,K] that the file has column by column: data is [K,N], shape says [N,K]. So TensorFlow keeps
  // the matrices of products, and PyTorch those that were converted from it.
  bool transposed = false;

  int64_t count() const;  // of numbers
};

// All numbers of a floating-point tensor, row by row whatever order the file has.
void to_f32(const StoredTensor& tensor, std::span<float> to);

// Same format, shape and numbers, bit for bit. Reads all of both.
bool equal(const StoredTensor& a, const StoredTensor& b);

std::string shape_text(std::span<const int64_t> shape);  // "[768, 3072]", for messages

// A tensor of the file in a format without a Dtype (8-bit floats, …), or in an order of its numbers that is
// not read: no reason to refuse the file before it is asked for.
struct UnreadTensor {
  std::string name;
  std::string file;
  std::string dtype;  // as the file writes it, or in words

  bool operator==(const UnreadTensor&) const = default;
};

// What a file or a set of files holds; the spans point into the mapping.
struct Contents {
  std::vector<StoredTensor> tensors;
  std::vector<UnreadTensor> unread;
};

// Whether the sums that a TensorFlow checkpoint has of its numbers are checked, for which all are read.
enum class DataSums { check, leave };

// Opening checks all that the files say about themselves and reads none of the numbers, except for
// TensorFlow's sums of them. const methods are safe for any thread.
class Checkpoint {
 public:
  // Opens the weights of a model directory, or of a file, in any form (forms.h). Error when there are none,
  // or they are not what they say, in one line.
  static Checkpoint open(const std::string& path, DataSums sums = DataSums::check);
  // One file by path; names as they stand, not made canonical.
  static Checkpoint open_file(const std::string& path);

  // Reads everything and checks the sums that opening leaves: those in PyTorch's zip files.
  void check_sums() const;

  const std::vector<StoredTensor>& tensors() const { return contents_.tensors; }  // sorted by name
  const StoredTensor* find(std::string_view name) const;                          // nullptr when absent
  const std::vector<UnreadTensor>& unread() const { return contents_.unread; }

  // Copies a part of a tensor's data as MappedFile::read does.
  void read(std::span<const std::byte> part, std::byte* to) const;

  // The floating-point tensor `name`, which must be of `shape`; Error names file, tensor, found and expected.
  const StoredTensor& get(std::string_view name, std::span<const int64_t> shape) const;

 private:
  Checkpoint(std::string path, std::vector<MappedFile> files, Contents contents);

  std::string path_;  // for messages: the file, or the index of many
  std::vector<MappedFile> files_;
  Contents contents_;
};

}  // namespace bert::ckpt
