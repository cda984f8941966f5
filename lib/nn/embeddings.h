// What the encoder reads: the sum of a token's word, position and type embeddings, normalised (Devlin et al.
// 2018, figure 2). Words are looked up where the file has them; positions and types are small and copied.
#pragma once

#include <cstdint>
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

  // Names embeddings.{position_embeddings,token_type_embeddings}.weight and embeddings.LayerNorm; the word
  // embeddings [V,H] are passed to forward.
  Embeddings(const Config& config, Layout& layout);

  // x [M,H]. Ids, types and lengths are within the tables.
  void forward(Context& context, const Weights& weights, const Stored& words, const Batch& batch,
               Tensor& x) const;

  // The same in training: s [M,H] is kept for backward, x = drop(norm(s)). The words are f32, row-major.
  void forward(const Pass& pass, std::span<const float> words, const Batch& batch, Tensor& s,
               Tensor& x) const;

  // dx [M,H], which is used up, -> what `dwords` [V,H] and the tables and norm in `gradients` get.
  void backward(const Pass& pass, const Batch& batch, const Tensor& s, Tensor& dx, std::span<float> dwords,
                Params& gradients) const;

 private:
  void sum_row(const Weights& weights, const Stored& words, const Batch& batch, int64_t token,
               int64_t position, float* row) const;

  Config config_;
  int position_table_, type_table_;
  LayerNorm norm_;
  DropoutPlace dropout_;
};

}  // namespace bert::nn
