// What the encoder reads: the sum of a token's word, position and type embeddings, normalised (Devlin et al.
// 2018, figure 2).
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "nn/batch.h"
#include "nn/context.h"
#include "nn/layer_norm.h"
#include "nn/pass.h"
#include "nn/weights.h"

namespace bert::nn {

class Embeddings {
 public:
  struct Config {
    int64_t hidden = 768;
    int64_t positions = 512;
    int64_t types = 2;
    float norm_epsilon = 1e-12f;
    float dropout = 0;  // in training
  };

  // Copies the row of a word: the embeddings [V,H] may be in a file. Called by all threads of the pool.
  using LookUp = std::function<void(int32_t id, std::span<float> row)>;

  // Names embeddings.{position_embeddings,token_type_embeddings}.weight and embeddings.LayerNorm.
  Embeddings(const Config& config, Layout& layout);

  // x = drop(norm(s)) of the sums s: [M,H]. s is kept where backward will need it, else it may be x. Ids,
  // types and lengths are within the tables.
  void forward(const Pass& pass, const LookUp& words, const Batch& batch, Tensor& s, Tensor& x) const;

  // dx [M,H], which is used up, -> what `dwords` [V,H] and the tables and norm in `gradients` get.
  void backward(const Pass& pass, const Batch& batch, const Tensor& s, Tensor& dx, std::span<float> dwords,
                Params& gradients) const;

 private:
  Config config_;
  int position_table_, type_table_;
  LayerNorm norm_;
  DropoutPlace dropout_;
};

}  // namespace bert::nn
