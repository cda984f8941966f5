// Rows of numbers as one array: npy (NumPy format, version 1.0) of f32 or f16, raw little-endian f32, TSV or
// CSV.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/output_file.h"

namespace bert::io {

enum class ArrayFormat { npy, npy_f16, f32, tsv, csv };

// A filter calls these methods from its methods of the same name, and row() from finish(). The npy header
// contains the number of rows, known only at the end, so npy output must be a regular file
// (StreamOptions::needs_regular_output). Until then zeros are in its place, so that nobody reads an
// incomplete file.
class ArrayWriter {
 public:
  // `precision`: digits after the decimal point in text; -1: shortest decimal that reads back to the same
  // f32.
  ArrayWriter(ArrayFormat format, int64_t columns, int precision = -1)
      : format_(format), columns_(columns), precision_(precision) {}

  void begin(std::string& out) const;
  // `values`: one for each column. NaN, infinity and numbers too large for f16 throw Error. Any thread may
  // call it.
  void row(std::span<const float> values, std::string& out) const;
  void patch(OutputFile& output) const;

 private:
  bool is_npy() const { return format_ == ArrayFormat::npy || format_ == ArrayFormat::npy_f16; }
  int64_t bytes_each() const { return format_ == ArrayFormat::npy_f16 ? 2 : 4; }
  std::string npy_header(int64_t rows) const;

  ArrayFormat format_;
  int64_t columns_;
  int precision_;
};

}  // namespace bert::io
