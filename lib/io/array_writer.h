// Rows of numbers as one array: npy (NumPy's format, version 1.0), raw little-endian f32, or columns of text.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/output_file.h"

namespace bert::io {

enum class ArrayFormat { npy, f32, tsv };

// A filter calls the methods from those of the same name (row from finish). npy says in its header how many
// rows it has, which is known at the end, so its output has to be a regular file
// (StreamOptions::needs_regular_output).
class ArrayWriter {
 public:
  // `precision`: digits after the point in tsv; -1 is the shortest that reads back.
  ArrayWriter(ArrayFormat format, int64_t columns, int precision = -1)
      : format_(format), columns_(columns), precision_(precision) {}

  void begin(std::string& out) const;
  // `values`: as many as there are columns. NaN and infinity throw Error. Any thread.
  void row(std::span<const float> values, std::string& out) const;
  void patch(OutputFile& output) const;

 private:
  ArrayFormat format_;
  int64_t columns_;
  int precision_;
};

}  // namespace bert::io
