// The numbers a network computes with: those of a file, matrices cut into panels, or those of Params where
// they are.
//
// Layers own no numbers. Each names its tensors in a Layout when it is made and keeps their places; the
// Weights of that layout are filled from a file (inference) or from Params (training).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/pool.h"
#include "nn/panels.h"
#include "nn/tensor.h"

namespace bert::nn {

struct LayoutEntry {
  std::string name;  // as Hugging Face calls it: "encoder.layer.0.output.dense.weight"
  std::vector<int64_t> shape;
  bool packed = false;  // a matrix [N,K] of a product, which is kept in panels

  int64_t count() const;  // of numbers
};

class Layout {
 public:
  int add_matrix(std::string name, int64_t outputs, int64_t inputs);  // W [N,K]
  int add_plain(std::string name, std::vector<int64_t> shape);        // bias, gain, table
  const std::vector<LayoutEntry>& entries() const { return entries_; }

 private:
  std::vector<LayoutEntry> entries_;
};

class Params;

class Weights {
 public:
  // Where the numbers come from: `find` gives a tensor of the entry's name and shape or throws; `release` is
  // told of parts that are not needed any more.
  struct Source {
    std::function<Stored(const LayoutEntry&)> find;
    std::function<void(std::span<const std::byte>)> release;
  };

  // Packs everything the layout names, for products of `dtype` (f32, bf16, i8); the whole pool works.
  Weights(const Layout& layout, const Source& source, Pool& pool, Dtype dtype = Dtype::f32);

  // The compute copy of `params`, which it refers to: matrices are packed by refresh(), the rest is read
  // where it is.
  explicit Weights(const Params& params, Dtype dtype = Dtype::f32);  // f32 or bf16
  void refresh(Pool& pool);  // after the parameters have changed, and before the first use

  // Of products of the matrix: that asked for in the encoder; heads are f32.
  Dtype dtype(int place) const;
  Panels forward(int place) const;   // of a matrix W [N,K]: for x·Wᵀ
  Panels backward(int place) const;  // of Params, bf16: for dy·W
  // A plain tensor, followed by zeros up to a multiple of 64 numbers. Of Params also a matrix, row-major.
  const float* plain(int place) const;

 private:
  void make_room();
  Panels shape(int place) const;

  const Layout& layout_;
  const Params* params_ = nullptr;
  Dtype dtype_;
  Memory memory_;
  std::vector<size_t> starts_;
};

}  // namespace bert::nn
