// Multi-head self-attention within each sequence (Vaswani et al. 2017, section 3.2), at its true length:
//
//   context[:,h] = drop(softmax(q[:,h] · k[:,h]ᵀ / √d)) · v[:,h]      for each of the A heads, d = H / A
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "nn/context.h"
#include "nn/kernels.h"
#include "nn/linear.h"
#include "nn/params.h"
#include "nn/pass.h"

namespace bert::nn {

// Rows of a batch that are looked at: all of them, or some, ascending, with `offsets` saying where each
// sequence's begin among them ([B+1]).
struct RowSelection {
  std::span<const int64_t> rows;
  std::span<const int64_t> offsets;
};

class Attention {
 public:
  // Names `prefix`.self.{query,key,value} and `prefix`.output.dense. `dropout` is what training leaves out of
  // the probabilities.
  Attention(const std::string& prefix, int64_t hidden, int64_t heads, Layout& layout,
            const DropoutPlace& dropout = {});

  // What forward computes besides y, and backward needs besides x: 4·M·H numbers. Probabilities are computed
  // again.
  struct Saved {
    Tensor qkv;       // without q where only some rows look at the others
    Tensor q;         // of these rows
    Tensor attended;  // likewise
  };

  // The gradients of Saved; used again from layer to layer.
  struct BackwardWorkspace {
    Tensor dqkv;
    Tensor dq;
    Tensor d_attended;
  };

  // x [M,H] -> y [M,H], the output projection included.
  void forward(const Pass& pass, const Tensor& x, Saved& saved, Tensor& y) const;

  // dy [M,H] -> dx [M,H], replaced or added to. Adds to `gradients`.
  void backward(const Pass& pass, const Tensor& x, const Saved& saved, const Tensor& dy,
                BackwardWorkspace& workspace, Params& gradients, Into into, Tensor& dx) const;

  // The same where only some rows look at all: x_rows [R,H] are rows of x and begin at `row_offsets` [B+1]
  // for each sequence; y, dy are [R,H].
  void forward_rows(const Pass& pass, const Tensor& x, const Tensor& x_rows,
                    std::span<const int64_t> row_offsets, Saved& saved, Tensor& y) const;
  // dx [M,H] is overwritten, dx_rows [R,H] added to; the gradient of x is both together.
  void backward_rows(const Pass& pass, const Tensor& x, const Tensor& x_rows,
                     std::span<const int64_t> row_offsets, const Saved& saved, const Tensor& dy,
                     BackwardWorkspace& workspace, Params& gradients, Tensor& dx, Tensor& dx_rows) const;

 private:
  // q and its gradient are the first columns of qkv and its gradient, or apart.
  void attend(const Pass& pass, const Tensor& q, std::span<const int64_t> q_offsets, Saved& saved,
              Tensor& y) const;
  void attend_backward(const Pass& pass, const Tensor& q, std::span<const int64_t> q_offsets,
                       const Saved& saved, BackwardWorkspace& workspace, Tensor& dq) const;

  // One head of a sequence; where its output goes is not said.
  AttentionHead head_of(std::span<const int64_t> offsets, const Tensor& q, std::span<const int64_t> q_offsets,
                        const Tensor& qkv, int64_t sequence, int64_t head) const;
  DroppedProbabilities dropped(const Pass& pass, int64_t sequence, int64_t head) const;

  int64_t hidden_, heads_;
  DropoutPlace dropout_;
  Linear query_, key_, value_, output_;
};

}  // namespace bert::nn
