// A matrix of f32 activations: row-major, each row 64-byte aligned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace bert::nn {

// Zero-initialized memory, 64-byte aligned, on huge pages if available. 64 more numbers may be read, so that
// blocks can be computed whole.
class Memory {
 public:
  Memory() : data_(nullptr, Unmap(0)) {}
  explicit Memory(size_t floats);
  float* data() const { return data_.get(); }
  size_t size() const { return size_; }

 private:
  struct Unmap {
    explicit Unmap(size_t bytes) : bytes(bytes) {}
    void operator()(float* data) const;
    size_t bytes;
  };
  std::unique_ptr<float[], Unmap> data_;
  size_t size_ = 0;
};

// [rows, cols], with memory for whole blocks: rows are rounded up to a multiple of 12 plus 4, and to one of
// 16, columns to a multiple of kColumns. Padding is undefined, and so are the contents until written. Movable
// only.
class Tensor {
 public:
  static constexpr int64_t kColumns = 64;

  Tensor() = default;
  Tensor(int64_t rows, int64_t cols) { reshape(rows, cols); }

  // Changes the shape; reuses the memory if it is large enough. The contents are lost.
  void reshape(int64_t rows, int64_t cols);
  void copy(const Tensor& from);  // its shape and contents

  // Some of its rows, in its memory, which must remain. They have no other shape, and only the rows
  // themselves may be written.
  Tensor part(int64_t first, int64_t rows) const;

  int64_t rows() const { return rows_; }
  int64_t cols() const { return cols_; }
  int64_t stride() const { return stride_; }  // floats from one row to the next
  float* row(int64_t i) { return numbers_ + i * stride_; }
  const float* row(int64_t i) const { return numbers_ + i * stride_; }
  std::span<const float> values(int64_t i) const { return {row(i), static_cast<size_t>(cols_)}; }

 private:
  Memory memory_;
  float* numbers_ = nullptr;
  int64_t rows_ = 0, cols_ = 0, stride_ = 0;
  bool is_part_ = false;
};

}  // namespace bert::nn
