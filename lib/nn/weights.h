// The numbers a network computes with, in the form that is fast: matrices cut into packed panels, the rest
// plain.
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
#include "nn/kernels.h"
#include "nn/tensor.h"

namespace bert::nn {

struct LayoutEntry {
  std::string name;  // as Hugging Face calls it: "encoder.layer.0.output.dense.weight"
  std::vector<int64_t> shape;
  bool packed = false;  // a matrix [N,K] of a product, kept in panels

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

// W [N,K] as panels of 64 of its rows, transposed: panel p holds W[64p+j][i] at [i][j], i up to K rounded up
// to 16 and j up to 64 with zeros beyond K and N.
struct Panels {
  static constexpr int64_t kWidth = kPanelWidth;
  const float* data = nullptr;
  int64_t outputs = 0, inputs = 0;

  int64_t count() const { return (outputs + kWidth - 1) / kWidth; }
  int64_t panel_size() const { return (inputs + 15) / 16 * 16 * kWidth; }
  const float* panel(int64_t p) const { return data + p * panel_size(); }
};

// A tensor's numbers where a file has them, row-major, possibly unaligned.
struct Stored {
  Dtype dtype = Dtype::f32;
  const std::byte* data = nullptr;
  bool transposed = false;  // a matrix [N,K] that lies there as [K,N]; packed ones only
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

  // Packs everything the layout names; the whole pool works.
  Weights(const Layout& layout, const Source& source, Pool& pool);

  // The compute copy of `params`, which it refers to: matrices are packed by refresh(), the rest is read
  // where it is.
  explicit Weights(const Params& params);
  void refresh(Pool& pool);  // after the parameters have changed, and before the first use

  Panels panels(int place) const;
  const float* plain(int place) const;  // followed by zeros up to a multiple of 64 numbers

  // A matrix [N,K] row-major. Only of Params.
  const float* matrix(int place) const;

 private:
  const Layout& layout_;
  const Params* params_ = nullptr;
  Memory memory_;
  std::vector<size_t> starts_;
};

}  // namespace bert::nn
