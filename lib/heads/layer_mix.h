// Combines the hidden states of several layers into one vector for each token.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nn/tensor.h"

namespace bert::heads {

enum class Combine { concat, sum, mean };

// Meaning of layer numbers. 0 is the embeddings in Hugging Face's hidden_states and the first encoder layer
// in Google's all_encoder_layers. Negative numbers count from the last layer in both.
enum class LayerNumbering { hugging_face, google };

// The number of the user's `layer` in Hugging Face's numbering, 0..layer_count. Throws Error if there is
// none.
int layer_number(int layer, LayerNumbering numbering, int layer_count);

class LayerMix {
 public:
  struct Recipe {
    std::vector<int> layers = {-1};  // as given by the user
    LayerNumbering numbering = LayerNumbering::hugging_face;
    Combine combine = Combine::concat;
    std::vector<double> weights;  // one for each layer, for sum and mean; empty: all 1
  };

  // Throws Error if a layer is not one of the embeddings and `layer_count` encoder layers, or if the weights
  // do not match.
  LayerMix(const Recipe& recipe, int layer_count, int64_t hidden);

  // Layers to request from the network: ascending, distinct; 0 is the embeddings' output.
  const std::vector<int>& wanted() const { return wanted_; }
  int64_t width() const { return width_; }  // of the mixed vector

  // Mixed vector of one token, in row `row` of the tensors of wanted(). A view of the tensor if there is
  // nothing to mix, otherwise of `scratch`. Sums are in double, in the order of the recipe.
  std::span<const float> token(std::span<const nn::Tensor> layers, int64_t row,
                               std::vector<float>& scratch) const;

  // Hidden state of the recipe's k-th layer, not mixed.
  std::span<const float> layer(std::span<const nn::Tensor> layers, int64_t row, size_t k) const {
    return layers[picks_[k]].values(row);
  }

 private:
  std::vector<int> wanted_;
  std::vector<size_t> picks_;    // index in wanted_ of each layer of the recipe
  std::vector<double> weights_;  // for sum and mean: factor of each layer
  int64_t width_;
};

}  // namespace bert::heads
