// The rows of an array file, npy or raw f32. They are read when they are asked for and never all in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/checksum.h"
#include "base/file.h"
#include "io/array_shape.h"

namespace bert::io {

class ArrayFile {
 public:
  // `width` is required for raw f32, which does not contain it. Throws Error if the file is not such an
  // array.
  ArrayFile(const std::string& path, std::optional<int64_t> width);

  const std::string& path() const { return file_.path(); }
  int64_t rows() const { return shape_.rows; }
  int64_t width() const { return shape_.width; }

  // Fills `to`, which has width() numbers. Throws Error if there is no such row or a number in it is not
  // finite. Any thread may call it.
  void read(int64_t row, std::span<float> to) const;

  uint64_t checksum() const { return bert::checksum(file_); }

 private:
  const std::byte* bytes_of(int64_t row) const;

  MappedFile file_;
  ArrayShape shape_;
};

}  // namespace bert::io
