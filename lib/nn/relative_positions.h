// Relative positions of disentangled attention (He et al. 2021, "DeBERTa: Decoding-enhanced BERT with
// disentangled attention", section 3). A table for all layers has a row for each distance, or for several;
// from these rows, each layer projects keys and queries, which the queries and keys of tokens are also
// compared with:
//
//   scores[i,j] = (q[i]·k[j] + q[i]·key(table[r]) + query(table[r])·k[j]) / √(d·n)        r = row(j - i)
//
// for n terms: the second and the third may be left out.
#pragma once

#include <cstdint>
#include <optional>

#include "nn/layer_norm.h"
#include "nn/params.h"
#include "nn/pass.h"
#include "nn/position_table.h"
#include "nn/weights.h"

namespace bert::nn {

class RelativePositions {
 public:
  // Adds encoder.rel_embeddings.weight [2·span, H] and perhaps encoder.LayerNorm to the layout.
  RelativePositions(const RelativePositionConfig& config, int64_t hidden, float norm_epsilon, Layout& layout);

  // The row of a distance, key - query; it falls as the distance rises.
  static int64_t row(const RelativePositionConfig& config, int64_t distance);

  // The rows for sequences of up to `longest` tokens.
  void forward(const Pass& pass, int64_t longest, PositionTable& table) const;

  // Adds to `gradients`; overwrites drows, the gradient of table.rows.
  void backward(const Pass& pass, const PositionTable& table, Tensor& drows, Params& gradients) const;

 private:
  void gather(const Weights& weights, const PositionTable& table, Tensor& rows) const;

  RelativePositionConfig config_;
  int64_t hidden_;
  int table_;
  std::optional<LayerNorm> norm_;
};

}  // namespace bert::nn
