#include "io/array_file.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/dtype.h"
#include "base/error.h"

namespace bert::io {
namespace {

ArrayShape shape_of_array(const MappedFile& file, std::optional<int64_t> width) {
  try {
    return shape_of_file(file.path(), file.text(), file.bytes().size(), width);
  } catch (const Error& error) {
    throw Error(file.path(), ": ", error.what());
  }
}

}  // namespace

ArrayFile::ArrayFile(const std::string& path, std::optional<int64_t> width)
    : file_(path), shape_(shape_of_array(file_, width)) {}

const std::byte* ArrayFile::bytes_of(int64_t row) const {
  return file_.bytes().data() + shape_.begin + row * shape_.row_bytes();
}

void ArrayFile::read(int64_t row, std::span<float> to) const {
  assert(std::ssize(to) == width());
  if (row >= rows()) throw Error("has no row in ", path(), ", which has ", rows());
  to_f32(shape_.dtype, bytes_of(row), to);
  if (!std::ranges::all_of(to, [](float x) { return std::isfinite(x); }))
    throw Error("row ", row, " of ", path(), " has a number that is not finite");
}

}  // namespace bert::io
