// Rows of numbers: as text, as little-endian numbers, and below the header of npy (NumPy format,
// version 1.0).
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace bert::io {

// Append a row. NaN, infinity and numbers too large for f16 throw Error. `precision`: digits after the
// decimal point in text; -1: shortest decimal that reads back to the same f32.
void append_tsv_row(std::string& out, std::span<const float> numbers, int precision);
void append_csv_row(std::string& out, std::span<const float> numbers, int precision);
void append_f32_row(std::string& out, std::span<const float> numbers, int precision);
void append_f16_row(std::string& out, std::span<const float> numbers, int precision);

// NumPy requires the data to start at a multiple of 64; 128 bytes hold any shape of two int64 values.
constexpr int64_t kNpyHeaderBytes = 128;

struct NpyShape {
  int64_t rows, columns;
  int64_t number_bytes;
};
std::string npy_header(const NpyShape& shape);

}  // namespace bert::io
