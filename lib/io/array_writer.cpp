#include "io/array_writer.h"

#include <bit>
#include <cassert>
#include <cmath>

#include "base/dtype.h"
#include "base/error.h"
#include "json/json.h"

namespace bert::io {
namespace {

static_assert(std::endian::native == std::endian::little, "rows are written as they are in memory");

// NumPy requires the data to start at a multiple of 64; 128 bytes hold any shape of two int64 values.
constexpr size_t kHeaderBytes = 128;

constexpr float kTooLarge = 65520;  // and more become infinity in f16

}  // namespace

// Magic, version 1.0, length of the rest as u16, then a Python dict padded with spaces up to the line end
// (numpy/lib/format.py).
std::string ArrayWriter::npy_header(int64_t rows) const {
  std::string header("\x93NUMPY\x01\x00\x00\x00", 10);
  header[8] = static_cast<char>(kHeaderBytes - header.size());
  header += "{'descr': '<f" + std::to_string(bytes_each()) + "', 'fortran_order': False, 'shape': (" +
            std::to_string(rows) + ", " + std::to_string(columns_) + "), }";
  header.resize(kHeaderBytes - 1, ' ');
  return header + '\n';
}

void ArrayWriter::begin(std::string& out) const {
  if (is_npy()) out.append(kHeaderBytes, '\0');
}

void ArrayWriter::row(std::span<const float> values, std::string& out) const {
  assert(std::ssize(values) == columns_);
  if (format_ == ArrayFormat::tsv || format_ == ArrayFormat::csv) {
    for (const float value : values) {
      json::append_number(out, value, precision_);
      out += format_ == ArrayFormat::tsv ? '\t' : ',';
    }
    if (!values.empty()) out.pop_back();
    out += '\n';
    return;
  }
  for (const float value : values) {
    if (!std::isfinite(value)) throw Error("a result is ", value, ", which is not a number");
  }
  if (format_ != ArrayFormat::npy_f16) {
    out.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    return;
  }
  for (const float value : values) {
    if (std::abs(value) >= kTooLarge) throw Error("a result is ", value, ", too large for f16");
  }
  out.resize(out.size() + values.size() * 2);
  from_f32(values, Dtype::f16, reinterpret_cast<std::byte*>(out.data() + out.size()) - values.size() * 2);
}

void ArrayWriter::patch(OutputFile& output) const {
  if (!is_npy()) return;
  const int64_t row_bytes = columns_ * bytes_each();
  const int64_t bytes = output.size() - kHeaderBytes;
  output.rewrite(0, npy_header(row_bytes > 0 ? bytes / row_bytes : 0));
}

}  // namespace bert::io
