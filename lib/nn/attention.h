// Multi-head self-attention within each sequence (Vaswani et al. 2017, section 3.2), without padding:
//
//   context[:,h] = drop(softmax(q[:,h] · k[:,h]ᵀ / √d)) · v[:,h]      for each of the A heads, d = H / A
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "nn/context.h"
#include "nn/linear.h"
#include "nn/params.h"
#include "nn/pass.h"

namespace bert::nn {

// Rows of a batch to compute, ascending, or all of them. `offsets` [B+1] are the starts of the sequences
// among these rows.
struct RowSelection {
  std::span<const int64_t> rows;
  std::span<const int64_t> offsets;
};

class Attention {
 public:
  // Adds `prefix`.self.{query,key,value} and `prefix`.output.dense to the layout. `dropout` is applied to the
  // probabilities in training.
  Attention(const std::string& prefix, int64_t hidden, int64_t heads, Layout& layout,
            const DropoutPlace& dropout = {});

  // What backward needs besides x: 4·M·H numbers. Probabilities are recomputed.
  struct Saved {
    Tensor qkv;       // without q if only some rows are queries
    Tensor q;         // of these rows
    Tensor attended;  // of these rows
  };

  // Gradients of Saved; reused for all layers.
  struct BackwardWorkspace {
    Tensor dqkv;
    Tensor dq;
    Tensor d_attended;
  };

  // x [M,H] -> y [M,H], including the output projection.
  void forward(const Pass& pass, const Tensor& x, Saved& saved, Tensor& y) const;

  // dy [M,H] -> dx [M,H], replaced or added to. Adds to `gradients`.
  void backward(const Pass& pass, const Tensor& x, const Saved& saved, const Tensor& dy,
                BackwardWorkspace& workspace, Params& gradients, Into into, Tensor& dx) const;

  // The same with only some rows as queries: x_rows [R,H] are rows of x, with sequences starting at
  // `row_offsets` [B+1]; y and dy are [R,H].
  void forward_rows(const Pass& pass, const Tensor& x, const Tensor& x_rows,
                    std::span<const int64_t> row_offsets, Saved& saved, Tensor& y) const;
  // Overwrites dx [M,H] and adds to dx_rows [R,H]; the gradient of x is the sum of both.
  void backward_rows(const Pass& pass, const Tensor& x, const Tensor& x_rows,
                     std::span<const int64_t> row_offsets, const Saved& saved, const Tensor& dy,
                     BackwardWorkspace& workspace, Params& gradients, Tensor& dx, Tensor& dx_rows) const;

 private:
  // q and its gradient are the first columns of qkv and its gradient, or separate tensors.
  void attend(const Pass& pass, const Tensor& q, std::span<const int64_t> q_offsets, Saved& saved,
              Tensor& y) const;
  void attend_backward(const Pass& pass, const Tensor& q, std::span<const int64_t> q_offsets,
                       const Saved& saved, BackwardWorkspace& workspace, Tensor& dq) const;

  // One head of a sequence, without the output pointer.
  AttentionHead head_of(std::span<const int64_t> offsets, const Tensor& q, std::span<const int64_t> q_offsets,
                        const Tensor& qkv, int64_t sequence, int64_t head) const;
  DroppedProbabilities dropped(const Pass& pass, int64_t sequence, int64_t head) const;

  int64_t hidden_, heads_;
  DropoutPlace dropout_;
  Linear query_, key_, value_, output_;
};

}  // namespace bert::nn
