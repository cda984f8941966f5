// State shared by all layers during the forward and backward pass of a batch.
#pragma once

#include <cstdint>
#include <span>

#include "nn/context.h"
#include "nn/dropout.h"
#include "nn/position_table.h"
#include "nn/relative_bias.h"
#include "nn/rotary.h"
#include "nn/weights.h"

namespace bert::nn {

struct Pass {
  Context& context;
  const Weights& weights;                     // of Params in training
  std::span<const int64_t> offsets;           // [B+1] start of each sequence among the M tokens
  const DropoutSeed* dropout_seed = nullptr;  // nullptr: no dropout
  bool keeps = false;                         // store what backward needs in each layer's Saved
  bool keeps_projected = false;               // the queries, keys and values of a layer are read afterwards

  // Whether anything below the layer is trained, so that backward must compute the gradient of its input.
  enum class Below { learns, frozen };
  Below below = Below::learns;

  std::span<const int64_t> seen = {};  // Batch::seen

  const ByDistance<float>* bias = nullptr;  // of attention, if the model has it; see RelativeBias::forward
  ByDistance<double>* dbias = nullptr;      // its gradient, to which layers add in backward, if it is trained

  std::span<const Rotations> rotations = {};  // of the queries and keys, if the model has rotary positions

  const PositionTable* positions = nullptr;  // if the model has relative positions
  // What layers make of them, if it is known: that of each layer. In training it is computed in each pass.
  std::span<const ProjectedPositions> projected_positions = {};
  Tensor* dpositions = nullptr;  // gradient of positions->rows, to which layers add, if it is trained

  // In backward of a layer: the gradient of a loss that also reads its queries, keys and values; see
  // Attention::project. Only if all rows are queries.
  const Tensor* dprojected = nullptr;
};

// Dropout at one site of a layer.
struct DropoutPlace {
  uint64_t layer = 0;
  DropoutSite site = DropoutSite::embeddings;
  DropoutRate rate;
};

}  // namespace bert::nn
