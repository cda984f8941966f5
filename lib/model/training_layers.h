// The layers of a network for training and its numbers, which a generator may share.
#pragma once

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
#include "nn/weights.h"

namespace bert::model {

struct TrainingLayers {
  int words;
  NetworkLayers net;
  std::optional<nn::Linear> pooled;  // the projection of pooled vectors
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

  TrainingNumbers(const Config& config, const Heads& heads, Pool& pool, Dtype dtype);
};

// The heads of a generator.
Heads generator_heads();

}  // namespace bert::model
