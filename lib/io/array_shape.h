// The header of an array file: npy (NumPy format, versions 1 to 3) or raw f32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/dtype.h"

namespace bert::io {

struct ArrayShape {
  Dtype dtype = Dtype::f32;  // or f16
  int64_t rows = 0, width = 0;
  size_t begin = 0;  // offset of the first number; the rest of the file is rows in C order

  size_t row_bytes() const { return width * size_of(dtype); }
};

// Whether the bytes, the first of a file, are those of an npy file.
bool is_npy(std::string_view bytes);

// Reads an npy header from the first bytes of a file; nullopt if it is longer than them. Throws Error `is not
// ...`, to be prefixed with the path, if the array is not two-dimensional, or not f32 or f16 in C order.
std::optional<ArrayShape> read_npy_header(std::string_view bytes);

// Throws Error, to be prefixed with the path, if rows have another number of numbers.
void check_width(const ArrayShape& shape, int64_t width);

// The shape of a file of `size` bytes that begins with `bytes`, by its path's suffix: .npy, or else raw f32,
// which needs a width. Throws Error, to be prefixed with the path, also if the size does not fit.
ArrayShape shape_of_file(std::string_view path, std::string_view bytes, uint64_t size,
                         std::optional<int64_t> width);

}  // namespace bert::io
