// What the layers share while one batch goes forward and, in training, back.
#pragma once

#include <cstdint>
#include <span>

#include "nn/context.h"
#include "nn/dropout.h"
#include "nn/weights.h"

namespace bert::nn {

struct Pass {
  Context& context;
  const Weights& weights;            // of Params when it goes back
  std::span<const int64_t> offsets;  // [B+1] where each sequence begins among the M tokens
  const Chance* chance = nullptr;    // nullptr: nothing is left out
  bool keeps = false;                // what goes back needs, in each layer's Saved

  // Whether anything learns below the layer, so that backward has to give the gradient of what it read.
  enum class Below { learns, frozen };
  Below below = Below::learns;
};

// What a layer leaves out at one of its sites.
struct DropoutPlace {
  uint64_t layer = 0;
  DropoutSite site = DropoutSite::embeddings;
  DropoutRate rate;
};

}  // namespace bert::nn
