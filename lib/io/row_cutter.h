// Cuts the rows of an array file (see array_shape.h). The bytes of a record are the numbers of the row in
// f32.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "io/array_shape.h"
#include "io/cutter.h"
#include "io/input.h"
#include "io/record.h"

namespace bert::io {

class RowCutter {
 public:
  // `format`: npy or f32. `width`: numbers in a row; required for f32.
  RowCutter(Input& input, InputFormat format, std::optional<int64_t> width, ChunkLimits limits)
      : input_(input), format_(format), width_(width), limits_(limits) {}

  // As Cutter::fill. An invalid file is reported in chunk.failure.
  bool fill(Chunk& chunk);

 private:
  void read_header();
  bool has_row(const Chunk& chunk);
  void cut(Chunk& chunk);

  Input& input_;
  InputFormat format_;
  std::optional<int64_t> width_;
  ChunkLimits limits_;
  std::optional<ArrayShape> shape_;
  int64_t row_ = 0;
  std::vector<float> numbers_;
};

}  // namespace bert::io
