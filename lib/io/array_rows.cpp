#include "io/array_rows.h"

#include <bit>
#include <cmath>

#include "base/dtype.h"
#include "base/error.h"
#include "json/json.h"

namespace bert::io {
namespace {

static_assert(std::endian::native == std::endian::little, "rows are written as they are in memory");

constexpr float kTooLarge = 65520;  // and more become infinity in f16

void append_text_row(std::string& out, std::span<const float> numbers, int precision, char separator) {
  for (const float number : numbers) {
    json::append_number(out, number, precision);
    out += separator;
  }
  if (!numbers.empty()) out.pop_back();
  out += '\n';
}

void require_finite(std::span<const float> numbers) {
  for (const float number : numbers)
    if (!std::isfinite(number)) throw Error("a result is ", number, ", which is not a number");
}

}  // namespace

void append_tsv_row(std::string& out, std::span<const float> numbers, int precision) {
  append_text_row(out, numbers, precision, '\t');
}

void append_csv_row(std::string& out, std::span<const float> numbers, int precision) {
  append_text_row(out, numbers, precision, ',');
}

void append_f32_row(std::string& out, std::span<const float> numbers, int) {
  require_finite(numbers);
  out.append(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
}

void append_f16_row(std::string& out, std::span<const float> numbers, int) {
  require_finite(numbers);
  for (const float number : numbers)
    if (std::abs(number) >= kTooLarge) throw Error("a result is ", number, ", too large for f16");
  out.resize(out.size() + numbers.size() * 2);
  from_f32(numbers, Dtype::f16, reinterpret_cast<std::byte*>(out.data() + out.size()) - numbers.size() * 2);
}

// Magic, version 1.0, length of the rest as u16, then a Python dict padded with spaces up to the line end
// (numpy/lib/format.py).
std::string npy_header(const NpyShape& shape) {
  std::string header("\x93NUMPY\x01\x00\x00\x00", 10);
  header[8] = static_cast<char>(kNpyHeaderBytes - std::ssize(header));
  header += "{'descr': '<f" + std::to_string(shape.number_bytes) + "', 'fortran_order': False, 'shape': (" +
            std::to_string(shape.rows) + ", " + std::to_string(shape.columns) + "), }";
  header.resize(kNpyHeaderBytes - 1, ' ');
  return header + '\n';
}

}  // namespace bert::io
