// Multi-head self-attention within each sequence (Vaswani et al. 2017, section 3.2), without padding:
//
//   context[:,h] = drop(softmax(q[:,h] · k[:,h]ᵀ / √d + bias[h])) · v[:,h]
//
// for each of the A heads, d = H / A. Few models have a bias (relative_bias.h), turn queries and keys by
// their positions (rotary.h) or compare them with relative positions (relative_positions.h); these are of the
// pass.
//
// In causal attention, as in decoders, a token attends only to itself and to the tokens before it; in a
// window, to those no further away than its size; where Batch::seen says so, to the first ones of its
// sequence.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nn/context.h"
#include "nn/layer_norm.h"
#include "nn/linear.h"
#include "nn/params.h"
#include "nn/pass.h"

namespace bert::nn {

class Attention {
 public:
  struct Config {
    int64_t hidden = 768;  // H, a multiple of heads
    int64_t heads = 12;    // A
    bool causal = false;
    std::optional<int64_t> window = {};    // tokens on each side that a token sees; not with `causal`
    std::optional<size_t> rotations = {};  // index in Pass::rotations
    // Compares with Pass::positions; not with `causal` or `window`.
    std::optional<RelativePositionConfig> positions = {};
    float position_dropout = 0;  // in training, of their rows
    size_t layer = 0;            // index in Pass::projected_positions
    Linear::Bias bias = Linear::Bias::yes, output_bias = Linear::Bias::yes;
    // Queries and keys are normalized, all heads together (Henry et al. 2020); not with `rotations`.
    std::optional<float> norm_epsilon = {};
  };

  // Adds `prefix`.self.{query,key,value}, perhaps `prefix`.self.{pos_key_proj,pos_query_proj} and
  // `prefix`.self.{query,key}.LayerNorm, and `prefix`.output.dense to the layout. `dropout` is applied to the
  // probabilities in training.
  Attention(const std::string& prefix, const Config& config, Layout& layout,
            const DropoutPlace& dropout = {});

  // What backward needs besides x: 4·M·H numbers. Probabilities are recomputed.
  struct Saved {
    Tensor qkv;       // without q if only some rows are queries; in inference perhaps pairs of bf16
    Tensor q;         // of these rows
    Tensor attended;  // of the queries
    ProjectedPositions positions;
    Tensor raw_queries, raw_keys;  // before they are normalized: 2·M·H more numbers
    Tensor normed;                 // temporary
  };

  // Gradients of Saved; reused for all layers.
  struct BackwardWorkspace {
    Tensor dqkv;
    Tensor dq;
    Tensor d_attended;
    Tensor d_raw;                                // of raw_queries, then of raw_keys
    std::vector<float> dbias;                    // of each sequence and head, by distance
    std::vector<ProjectedPositions> dpositions;  // of parts of the batch; the first one gets the sum
  };

  // Rows that are queries: x_rows [R,H], all rows of x or some of them. `offsets` [B+1] are the starts of the
  // sequences among them. `rows` [R] are their numbers in x, ascending, if they are not all.
  struct Queries {
    const Tensor& x_rows;
    std::span<const int64_t> offsets;
    std::span<const int64_t> rows;
  };

  // x [M,H] -> saved.attended [R,H], the sums of the heads. Projects x in this number of parts (row_parts.h).
  void forward(const Pass& pass, const Tensor& x, const Queries& queries, int64_t parts, Saved& saved) const;
  // y = their output projection + residual (may be nullptr), all [R,H].
  void project_output(const Pass& pass, const Tensor& attended, const Tensor* residual, Tensor& y) const {
    output_.forward(pass.context, pass.weights, attended, residual, y);
  }

  // dy [R,H] -> dx_rows [R,H], added to, and dx [M,H], overwritten: the gradient of x is the sum of both. If
  // all rows are queries, both are the same tensor, added to. Adds to `gradients`.
  void backward(const Pass& pass, const Tensor& x, const Queries& queries, const Saved& saved,
                const Tensor& dy, BackwardWorkspace& workspace, Params& gradients, Tensor& dx,
                Tensor& dx_rows) const;

  // The queries, keys and values alone, as they are compared: x [M,H] -> qkv [M,3·W], W = H rounded up to
  // Tensor::kColumns.
  void project(const Pass& pass, const Tensor& x, Tensor& qkv) const;

  // Keys and queries of relative positions, for Pass::projected_positions.
  void project_positions(const Pass& pass, ProjectedPositions& positions) const;

  // dqkv, which is overwritten -> dx [M,H], unless nothing is trained below. Bias::no: the bias of the keys
  // has no gradient.
  void project_backward(const Pass& pass, const Tensor& x, Tensor& dqkv, Linear::Bias key_bias,
                        Params& gradients, Tensor& dx) const;

  // The probabilities softmax(q·kᵀ/√d + bias), x [M,H] -> [A,T,T] for each sequence: head, query, key. Keys
  // that the mask excludes have 0.
  std::vector<std::vector<float>> weights(const Pass& pass, const Tensor& x) const;

 private:
  // Columns [M,H] of x, from `column` on, become norm(raw), `raw` what they were; and the gradient of x that
  // of these.
  void normalize(const Pass& pass, const std::optional<LayerNorm>& norm, int64_t column, Tensor& x,
                 Tensor& raw, Tensor& normed) const;
  void normalize_all(const Pass& pass, Tensor& qk) const;
  void normalize_backward(const Pass& pass, const std::optional<LayerNorm>& norm, int64_t column,
                          Linear::Bias bias, const Tensor& raw, Tensor& d_raw, Params& gradients,
                          Tensor& dx) const;
  void attend_backward(const Pass& pass, const Tensor& q, const Queries& queries, const Saved& saved,
                       BackwardWorkspace& workspace, Tensor& dq) const;
  // In the workspace, at distance 0.
  float* dbias_of(const Pass& pass, BackwardWorkspace& workspace, int64_t sequence, int64_t head) const;
  void add_dbias(const Pass& pass, BackwardWorkspace& workspace) const;

  // The layer of a term for relative positions alone.
  static std::optional<Linear> own_layer(const Config& config, bool RelativePositionConfig::*term,
                                         const std::string& name, Layout& layout);
  const Linear& position_keys() const { return position_key_ ? *position_key_ : key_; }
  const Linear& position_queries() const { return position_query_ ? *position_query_ : query_; }
  // Those of the pass, or else computed now.
  const ProjectedPositions* positions_of(const Pass& pass, ProjectedPositions& scratch) const;
  RelativeRows rows_of(const Pass& pass, const ProjectedPositions& positions, int64_t length,
                       int64_t head) const;
  void drop_positions(const Pass& pass, const Tensor& x, Tensor& y) const;
  void backward_positions(const Pass& pass, const Saved& saved, BackwardWorkspace& workspace,
                          Params& gradients) const;
  // Zeros for `count` gradients of the table's rows.
  static void clear_positions(Context& context, const PositionTable& table, int64_t count,
                              std::vector<ProjectedPositions>& gradients);
  Linear::Bias key_bias(const Pass& pass) const;

  // The keys of a sequence that a token at this position attends to.
  KeyRange seen_by(const Pass& pass, int64_t sequence, int64_t position) const;
  bool is_masked(const Pass& pass, int64_t sequence) const;

  // Rows of x [M,…] that belong to a sequence; their places in it are positions[row] - its start, or
  // row - its start without positions. Turns heads from this column on, if the model has rotary positions.
  struct Turned {
    int64_t sequence, first, last;
    std::span<const int64_t> positions;
    int64_t column, heads;
  };
  void turn(const Pass& pass, const Turned& rows, float sign, Tensor& x) const;
  void turn_back(const Pass& pass, const Queries& queries, Tensor& dqkv, Tensor& dq) const;
  void turn_all(const Pass& pass, float sign, Tensor& qkv) const;  // queries and keys

  // The heads of all sequences of a batch.
  struct Heads {
    std::span<const int64_t> offsets, q_offsets;
    const Tensor &q, &qkv;
    const ByDistance<float>* bias;
    const ProjectedPositions* relative;
    std::vector<int64_t> positions;  // of the queries in their sequences, if bias or `relative` need them
    std::vector<KeyRange> seen;      // AttentionHead::seen; empty if no sequence has a mask
    bool in_pairs;                   // AttentionHead::in_pairs
  };
  Heads heads_of(const Pass& pass, const Tensor& q, const Tensor& qkv, const Queries& queries,
                 const ProjectedPositions* relative) const;
  // One head of a sequence, without the output pointer.
  AttentionHead head_of(const Pass& pass, const Heads& heads, int64_t sequence, int64_t head) const;
  double scale() const;
  decltype(Kernels::attend) kernel_of(const Pass& pass, const ProjectedPositions* relative) const;
  bool takes_pairs(const Pass& pass, decltype(Kernels::attend) kernel) const;
  DroppedProbabilities dropped(const Pass& pass, int64_t sequence, int64_t head) const;

  Config config_;
  int64_t hidden_, heads_;
  DropoutPlace dropout_;
  Linear query_, key_, value_;
  std::optional<Linear> position_key_, position_query_;
  std::optional<LayerNorm> query_norm_, key_norm_;
  Linear output_;
};

}  // namespace bert::nn
