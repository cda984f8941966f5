// Which layers' hidden states a vector is made of, and how they become one vector a token.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nn/tensor.h"

namespace bert::task {

enum class Combine { concat, sum, mean };

// How layer numbers count: Hugging Face's hidden_states has the embeddings at 0, Google's all_encoder_layers
// the first encoder layer. Negative numbers count from the last layer in both.
enum class LayerNumbering { hugging_face, google };

class LayerMix {
 public:
  struct Recipe {
    std::vector<int> layers = {-1};  // as the user wrote them
    LayerNumbering numbering = LayerNumbering::hugging_face;
    Combine combine = Combine::concat;
    std::vector<double> weights;  // one a layer for sum and mean; empty: 1 each
  };

  // Error when a layer is not among the embeddings and `layer_count` encoder layers, or weights do not fit.
  LayerMix(const Recipe& recipe, int layer_count, int64_t hidden);

  // The layers to ask the network for: ascending, none twice; 0 is the embeddings' output.
  const std::vector<int>& wanted() const { return wanted_; }
  int64_t width() const { return width_; }  // of the mixed vector

  // The mixed vector of one token, in row `row` of the tensors of wanted(). A view of the tensor when there
  // is nothing to mix, else of `scratch`. Sums are in double, in the order of the recipe.
  std::span<const float> token(std::span<const nn::Tensor> layers, int64_t row,
                               std::vector<float>& scratch) const;

  // The part of the recipe's k-th layer, unmixed.
  std::span<const float> layer(std::span<const nn::Tensor> layers, int64_t row, size_t k) const {
    return layers[picks_[k]].values(row);
  }

 private:
  std::vector<int> wanted_;
  std::vector<size_t> picks_;    // for each layer of the recipe its place in wanted_
  std::vector<double> weights_;  // for sum and mean; what each layer is multiplied by
  int64_t width_;
};

}  // namespace bert::task
