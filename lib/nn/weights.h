// Weights of a network: from a file, with matrices packed into panels, or from Params, used in place.
//
// Layers own no weights. Each layer adds its tensors to a Layout when it is created and keeps their indexes.
// The Weights of that layout are filled from a file (inference) or from Params (training).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/dtype.h"
#include "nn/panels.h"
#include "nn/tensor.h"

namespace bert::nn {

struct LayoutEntry {
  std::string name;  // Hugging Face's name: "encoder.layer.0.output.dense.weight"
  std::vector<int64_t> shape;
  // A matrix [N,K] for products, stored in panels; K is the product of all sizes but the first.
  bool packed = false;

  int64_t count() const;  // of numbers
};

// A name added again is the same tensor, shared by several layers.
class Layout {
 public:
  // Changes the names of all tensors that are added from now on, so that two networks can share a layout.
  void name_by(std::function<std::string(std::string)> naming) { naming_ = std::move(naming); }
  int add_matrix(std::string name, int64_t outputs, int64_t inputs);  // W [N,K]
  // W [N,K] that files have as [N, K / size, size].
  int add_kernel(std::string name, int64_t outputs, int64_t inputs, int64_t size);
  int add_plain(std::string name, std::vector<int64_t> shape);  // bias, gain, table
  const std::vector<LayoutEntry>& entries() const { return entries_; }

 private:
  int add(LayoutEntry entry);

  std::vector<LayoutEntry> entries_;
  std::function<std::string(std::string)> naming_;
};

class Params;

class Weights {
 public:
  // Source of the weights: `find` returns a tensor with the entry's name and shape, or throws; `release` is
  // called for parts that are no longer needed.
  struct Source {
    std::function<Stored(const LayoutEntry&)> find;
    std::function<void(std::span<const std::byte>)> release;
  };

  // Packs all entries of the layout for products of `dtype` (f32, bf16, i8), with the whole pool.
  Weights(const Layout& layout, const Source& source, Context& context, Dtype dtype = Dtype::f32);

  // Weights that refer to `params`: refresh() packs the matrices, everything else is read in place.
  explicit Weights(const Params& params, Dtype dtype = Dtype::f32);  // f32 or bf16
  void refresh(Context& context);  // call after the parameters have changed and before the first use

  Dtype dtype() const { return dtype_; }  // as requested
  // Format of the matrix's products: as requested in the encoder, f32 in heads.
  Dtype dtype(int place) const;
  Panels forward(int place) const;   // of a matrix W [N,K]: for x·Wᵀ
  Panels backward(int place) const;  // of Params, bf16: for dy·W
  // A plain tensor, zero-padded to a multiple of 64 numbers. For Params also a matrix, row-major.
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
