// Codes of vectors: a byte or a bit for each number, to search in less memory.
//
// A row x has the direction u = x/|x|, of which the codes c tell about
//
//   u_d = low_d + step_d·c_d      c_d in 0..255 (int8), or 0 and 1 (sign)
//
// with the same levels for all rows: for int8 from the minimum to the maximum of the dimension, for sign the
// mean less and plus the mean deviation from it.
//
// The file: a header with the size, the state and the checksum of the vectors' file; low and step [width];
// the norms [rows] unless all are 1; from a multiple of 64 on, the codes, row by row, for sign with the first
// number in the lowest bit of the first byte; and a checksum.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/output_file.h"
#include "base/pool.h"
#include "search/vectors.h"

namespace bert::search {

class Codes {
 public:
  enum class Kind : uint64_t { int8, sign };

  // Codes vectors that a file has. Throws Error if a number is not finite. The same on all processors.
  static void write(OutputFile& to, const Vectors& vectors, Kind kind, Pool& pool);

  // Whether a file that begins with these bytes has codes.
  static bool is_file(std::string_view begin);

  // Maps the file. Throws Error if it has no codes or is damaged.
  explicit Codes(const std::string& path);

  // Throws Error unless these are the codes of these vectors, of this kind if one is given.
  void require_of(const Vectors& vectors, std::optional<Kind> kind) const;

  const MappedFile& file() const { return file_; }
  int64_t rows() const { return rows_; }
  int64_t width() const { return width_; }
  int64_t depth() const { return depth_; }  // codes of a row, with up to 7 more that are 0
  int most() const { return kind_ == Kind::int8 ? 255 : 1; }
  std::span<const float> low() const { return low_; }
  std::span<const float> step() const { return step_; }
  std::span<const float> norms() const { return norms_; }  // none: all are 1, as far as codes tell

  // The codes of rows [kBlock·b, kBlock·(b+1)), depth() bytes each. Valid until the next call with the same
  // `scratch`. Any thread may call it.
  const uint8_t* block(int64_t b, std::vector<uint8_t>& scratch) const;

  const uint8_t* rows(int64_t begin, int64_t count, std::vector<uint8_t>& scratch) const;

 private:
  MappedFile file_;
  Kind kind_ = Kind::int8;
  int64_t rows_ = 0, width_ = 0, depth_ = 0;
  size_t row_bytes_ = 0;
  std::span<const float> low_, step_, norms_;
  const uint8_t* codes_ = nullptr;
  FileState state_;  // of the file of the vectors
  uint64_t vectors_ = 0;
};

// The rows that codes stand for.
class CodedVectors final : public Vectors {
 public:
  explicit CodedVectors(const std::string& path);     // without norms
  CodedVectors(const std::string& path, Pool& pool);  // measures the rows

  const float* block(int64_t b, nn::Memory& scratch) const override;
  const float* row(int64_t i, nn::Memory& scratch) const override;
  const MappedFile* file() const override { return &codes_.file(); }
  bool stays() const override { return false; }
  void require_unchanged() const override { codes_.file().require_unchanged(); }

 private:
  const float* decoded(int64_t begin, int64_t count, nn::Memory& scratch) const;

  Codes codes_;
};

constexpr std::pair<std::string_view, Codes::Kind> kCodeNames[] = {{"int8", Codes::Kind::int8},
                                                                   {"sign", Codes::Kind::sign}};

}  // namespace bert::search
