// Rows of f32 numbers to search: a mapped array file, rows kept in memory, or some rows of these.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/pool.h"
#include "io/array_shape.h"
#include "nn/tensor.h"

namespace bert::search {

// Rows are read in blocks of this many. A multiple of nn::kBlockRows, so that products compute whole blocks.
constexpr int64_t kBlock = 384;

class Vectors {
 public:
  virtual ~Vectors() = default;

  int64_t rows() const { return rows_; }
  int64_t width() const { return width_; }
  int64_t blocks() const { return (rows() + kBlock - 1) / kBlock; }

  // Euclidean norm of each row, rounded to f32; infinity if f32 cannot hold it. Empty if the rows were not
  // measured.
  std::span<const float> norms() const { return norms_; }

  // Measures the rows of a block, which is at `numbers`: writes their norms to norms[row]. Returns the first
  // row with a number that is not finite; rows() if there is none.
  int64_t measure(int64_t b, const float* numbers, std::span<float> norms) const;
  // Throws Error for a row with a number that is not finite.
  [[noreturn]] virtual void refuse(int64_t row) const;

  // The first number of rows [kBlock·b, kBlock·(b+1)), one after another. All may be read; the contents of
  // those after the last row do not matter. Valid until the next call with the same `scratch`. Any thread may
  // call it.
  virtual const float* block(int64_t b, nn::Memory& scratch) const = 0;

  // One row. Valid as for block().
  virtual const float* row(int64_t i, nn::Memory& scratch) const = 0;

  // The file that has the rows; nullptr: they are in memory.
  virtual const MappedFile* file() const { return nullptr; }

  // Returns the mapped pages of a block to the system.
  virtual void release(int64_t) const {}

  // Whether the pointers that row() returns are valid as long as this object.
  virtual bool stays() const { return true; }

  // Throws Error if the numbers are in a file that has changed. What was computed from them before the call
  // is then not that of one state of the file.
  virtual void require_unchanged() const {}

 protected:
  explicit Vectors(int64_t width) : width_(width) {}

  void measure(Pool& pool);  // reads all rows, on all threads; throws Error as refuse() does

  int64_t rows_ = 0, width_;
  std::vector<float> norms_;
};

// The rows of an npy or f32 file. Pages are loaded when they are read, and the system may drop them again.
class MappedVectors final : public Vectors {
 public:
  // Without norms. `width` is required for f32, which does not contain it. Throws Error if the file is not
  // such an array.
  MappedVectors(const std::string& path, std::optional<int64_t> width);
  // Measures the rows.
  MappedVectors(const std::string& path, std::optional<int64_t> width, Pool& pool);

  const float* block(int64_t b, nn::Memory& scratch) const override;
  const float* row(int64_t i, nn::Memory& scratch) const override;
  const MappedFile* file() const override { return &file_; }
  void release(int64_t b) const override;
  bool stays() const override { return is_in_place(bytes_of(0)); }
  void require_unchanged() const override { file_.require_unchanged(); }

 private:
  bool is_in_place(const std::byte* row) const;
  const std::byte* bytes_of(int64_t row) const;
  const float* copy(int64_t begin, int64_t count, nn::Memory& scratch) const;

  MappedFile file_;
  io::ArrayShape shape_;
};

// Rows that are added one by one. Uses 4·(width + 1) bytes for each.
class StoredVectors final : public Vectors {
 public:
  explicit StoredVectors(int64_t width) : Vectors(width) {}

  // Requires finite numbers.
  void add(std::span<const float> row);

  const float* block(int64_t b, nn::Memory& scratch) const override;
  const float* row(int64_t i, nn::Memory& scratch) const override;

 private:
  std::vector<nn::Memory> blocks_;
};

// Some rows of other Vectors, in their order. Uses 12 bytes for each.
class SelectedVectors final : public Vectors {
 public:
  // `from` must outlive this object.
  SelectedVectors(const Vectors& from, std::vector<int64_t> rows);

  const float* block(int64_t b, nn::Memory& scratch) const override;
  const float* row(int64_t i, nn::Memory& scratch) const override;
  bool stays() const override { return from_.stays(); }
  void refuse(int64_t row) const override { from_.refuse(places_[row]); }
  void require_unchanged() const override { from_.require_unchanged(); }

 private:
  const Vectors& from_;
  std::vector<int64_t> places_;  // of the rows in from_
};

// The Euclidean norm in f32.
float norm(std::span<const float> values);

}  // namespace bert::search
