// Input of the encoder: the sum of word, position and type embeddings, normalized (Devlin et al. 2018, figure
// 2). DeBERTa v2 projects the sum to the encoder's width before.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "nn/batch.h"
#include "nn/context.h"
#include "nn/layer_norm.h"
#include "nn/linear.h"
#include "nn/pass.h"
#include "nn/weights.h"

namespace bert::nn {

class Embeddings {
 public:
  struct Config {
    int64_t hidden = 768;        // E, width of the tables
    int64_t projected = 0;       // H, width after a projection without bias; 0: there is none, and H is E
    int64_t positions = 512;     // 0: no table
    int64_t first_position = 0;  // row of the position table for the first token of a sequence
    int32_t padding = -1;        // tokens with this id have the row before the first, and do not count
    int64_t types = 2;           // 0: no table
    bool words_only = false;     // no tables besides the words', and no normalization
    float norm_epsilon = 1e-12f;
    Linear::Bias norm_bias = Linear::Bias::yes;
    float dropout = 0;  // in training
  };

  struct Saved {
    Tensor sums;  // [M,E], if they are projected
    Tensor s;     // [M,H], before the normalization
  };

  // Copies the embedding of a word into `row` [E]; the matrix [V,E] may be in a file. All threads of the pool
  // call it.
  using LookUp = std::function<void(int32_t id, std::span<float> row)>;

  // Adds embeddings.{position_embeddings,token_type_embeddings}.weight, embeddings.projection and
  // embeddings.LayerNorm to the layout, as far as there are such.
  Embeddings(const Config& config, Layout& layout);

  // x = drop(norm(s)) [M,H] of the sums, s = sums or sums·Wᵀ. Ids, types and lengths must be in range.
  void forward(const Pass& pass, const LookUp& words, const Batch& batch, Saved& saved, Tensor& x) const;

  // Overwrites dx [M,H] and saved.sums. Adds the gradients of the words to `dwords` [V,E], and those of the
  // tables, the projection and the normalization to `gradients`.
  void backward(const Pass& pass, const Batch& batch, Saved& saved, Tensor& dx, std::span<float> dwords,
                Params& gradients) const;

 private:
  void add_up(const Pass& pass, const LookUp& words, const Batch& batch, Tensor& sums) const;
  void add_gradients(const Pass& pass, const Batch& batch, const Tensor& dsums, std::span<float> dwords,
                     Params& gradients) const;

  Config config_;
  int position_table_ = -1, type_table_ = -1;
  std::optional<Linear> projection_;
  std::optional<LayerNorm> norm_;
  DropoutPlace dropout_;
};

}  // namespace bert::nn
