// The layers of a network for training and its numbers, which a generator may share.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.h"
#include "base/pool.h"
#include "model/config.h"
#include "model/heads.h"
#include "model/parts.h"
#include "nn/context.h"
#include "nn/dropout.h"
#include "nn/params.h"
#include "nn/tensor.h"
#include "nn/weights.h"

namespace bert::model {

struct TrainingLayers {
  int words;
  NetworkLayers net;
  std::optional<nn::Linear> pooled;  // the projection of pooled vectors
  std::optional<int> query_table;    // place of Config::query_table
  nn::DropoutPlace head_dropout, input_dropout;
  std::vector<int> in_all_rows;  // parameters with zero gradient, see Head::compares_rows

  TrainingLayers(const Config& config, const Heads& heads, nn::Layout& layout);
};

// The layout has the layers of the generator, too, if there is one.
struct TrainingNumbers {
  nn::Context context;
  nn::Layout layout;
  nn::Params parameters, gradients;
  nn::Weights weights;
  // Embeddings of which a discriminator trains the difference from those of its generator.
  struct Pair {
    int own, its;
  };
  std::vector<Pair> disentangled;

  TrainingNumbers(const Config& config, const Heads& heads, Pool& pool, Dtype dtype);
};

// Gradients of what losses read besides heads: outputs of layers (0: the embeddings), and queries, keys and
// values of layers. A tensor without rows: none.
struct LayerGradients {
  std::vector<nn::Tensor> states, projected;

  void clear(size_t layers);
  // Sets a gradient to zero [rows, cols] if there is none.
  static nn::Tensor& at(nn::Tensor& gradient, int64_t rows, int64_t cols);
  static void clear(int64_t rows, int64_t cols, nn::Tensor& gradient);  // zeros [rows, cols]
  void add_state(nn::Context& context, size_t layer, nn::Tensor& to) const;
};

// The heads of a generator, and the names of its tensors in the layout of both.
Heads generator_heads();
std::function<std::string(std::string)> naming_of_generator(const Config& discriminator);

}  // namespace bert::model
