// One layer of an encoder (Devlin et al. 2018, section 3), normalized after each residual sum, or before each
// branch (Xiong et al. 2020, "On layer normalization in the transformer architecture"):
//
//   y = norm1(x + drop(attend(x)))            s = x + drop(attend(norm1(x)))
//   z = norm2(y + drop(feed_forward(y)))      z = s + drop(feed_forward(norm2(s)))
//
// or, in one model, with x added once more after attention: y = norm_again(x + norm1(x + drop(attend(x)))).
//
// x, y, z are [M,H]: the concatenated M tokens of a batch; offsets [B+1] are the starts of its sequences. A
// layer owns no weights: they are in a Weights object with the layer's layout, so threads may share the
// layer.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nn/attention.h"
#include "nn/feed_forward.h"
#include "nn/layer_norm.h"
#include "nn/linear.h"

namespace bert::nn {

// Rows of a batch, ascending. `offsets` [B+1] are the starts of the sequences among them.
struct RowSelection {
  std::span<const int64_t> rows;
  std::span<const int64_t> offsets;
};

class EncoderLayer {
 public:
  struct Config {
    Attention::Config attention;
    FeedForward::Config feed_forward;
    float norm_epsilon = 1e-12f;
    Linear::Bias norm_bias = Linear::Bias::yes;
    bool norms_first = false;
    bool norms_attention = true;  // with norms_first: false if there is no norm1
    bool norms_again = false;     // not with norms_first

    // In training only.
    uint64_t layer = 0;  // number of the layer; selects its dropout masks
    float attention_branch_dropout = 0, feed_forward_branch_dropout = 0;
    float attention_dropout = 0;  // of attention probabilities
  };

  // What forward computes besides z and backward needs besides x, if pass.keeps: M·(7H + F) numbers, F more
  // with a gate.
  struct Saved {
    Attention::Saved attention;
    Tensor x_rows;               // selected rows of x; everything after attention has only these
    Tensor normed, normed_rows;  // of x by norm1, if it comes first
    Tensor s1;                   // sum after attention
    Tensor again;                // input of norm_again
    Tensor y;                    // input of feed_forward
    FeedForward::Saved feed_forward;
    Tensor s2;  // input of norm2, if it comes last
  };

  // Temporary tensors, reused for all layers and batches.
  struct Workspace {
    Tensor branch;  // output of a residual branch
    Tensor inner;   // [M, feed_forward]

    // Of each thread that computes some rows alone (row_parts.h).
    struct Alone {
      Tensor branch, inner;
      Saved saved;
    };
    std::vector<Alone> alone;

    // For backward.
    Attention::BackwardWorkspace attention_backward;
    Tensor ds;            // gradient of s2, then of y
    Tensor ds1;           // of the selected rows
    Tensor dnormed_rows;  // of these rows of the input of attention, if it is normalized
  };

  // Names the layer's tensors like Hugging Face, after `prefix`, for example "encoder.layer.3".
  EncoderLayer(const std::string& prefix, const Config& config, Layout& layout);

  // x [M,H] -> z [M,H], or only the selected rows of z [R,H]. Dropout depends on the index
  // among these rows.
  void forward(const Pass& pass, const Tensor& x, const std::optional<RowSelection>& selection,
               Workspace& workspace, Saved& saved, Tensor& z) const;

  // Of attention: its queries, keys and values x [M,H] -> qkv, their gradient dqkv -> dx [M,H], and its
  // probabilities; see Attention. project() keeps what project_backward() needs.
  void project(const Pass& pass, const Tensor& x, Saved& saved, Tensor& qkv) const;
  void project_backward(const Pass& pass, const Tensor& x, Tensor& dqkv, Linear::Bias key_bias,
                        const Saved& saved, Params& gradients, Tensor& dx) const;
  void project_positions(const Pass& pass, ProjectedPositions& positions) const {
    attention_.project_positions(pass, positions);
  }
  std::vector<std::vector<float>> attention_weights(const Pass& pass, const Tensor& x, Saved& saved) const;

  // dz, of the same rows -> dx [M,H]; overwrites saved.u. Adds to `gradients`, so that micro-batches
  // accumulate. dx is undefined if nothing is trained below.
  void backward(const Pass& pass, const Tensor& x, const std::optional<RowSelection>& selection, Saved& saved,
                Tensor& dz, Workspace& workspace, Params& gradients, Tensor& dx) const;

 private:
  // The rows after attention.
  struct Rows {
    Pass after;
    const Tensor& x;  // of the layer's input
    Attention::Queries queries;
  };
  bool norms_input() const { return norms_first_ && norm1_; }  // that of attention
  const Tensor& input_of_attention(const Pass& pass, const Tensor& x, Saved& saved) const;
  Rows rows_of(const Pass& pass, const Tensor& x, const std::optional<RowSelection>& selection,
               const Saved& saved) const;
  // From the sums of the heads on. `dropped` and `inner` are temporary memory.
  void after_heads(const Pass& pass, const Tensor& x, const Tensor& attended, Tensor& dropped, Tensor& inner,
                   Saved& saved, Tensor& z) const;
  void backward_normed(const Pass& pass, const Tensor& x, const std::optional<RowSelection>& selection,
                       Saved& saved, Workspace& workspace, Params& gradients, Tensor& dx) const;

  bool norms_first_;
  int64_t numbers_;  // of its matrices
  Attention attention_;
  std::optional<LayerNorm> norm1_, norm_again_;
  FeedForward feed_forward_;
  LayerNorm norm2_;
  DropoutPlace attention_dropout_, feed_forward_dropout_;
};

// Copies rows of x to y [R,H].
void gather_rows(Context& context, const Tensor& x, std::span<const int64_t> rows, Tensor& y);

// y += x, of one shape.
void add(Context& context, const Tensor& x, Tensor& y);

// Adds x [R,H] to these rows of y, which must be distinct.
void add_rows(Context& context, const Tensor& x, std::span<const int64_t> rows, Tensor& y);

}  // namespace bert::nn
