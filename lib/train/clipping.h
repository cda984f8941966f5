// Clipping of gradients by their global norm (Pascanu et al. 2013, "On the difficulty of training recurrent
// neural networks").
#pragma once

#include "base/pool.h"
#include "nn/kernels.h"
#include "nn/params.h"

namespace bert::train {

// √Σ g² over all numbers, added in double precision at fixed places: the same bits for any number of threads
// and any instruction set. It cannot overflow, so it is finite exactly when every gradient is; else it is NaN
// or infinite.
double global_norm(const nn::Params& gradients, Pool& pool, const nn::Kernels& kernels = nn::kernels());

// What gradients of this finite norm are multiplied with so that it is at most `most`: min(1, most / norm),
// as tf.clip_by_global_norm has it. PyTorch adds 1e-6 to the norm against a division by zero, which cannot
// happen here, and so clips to a little less than was asked for. No clipping: most = 0.
double clip_factor(double norm, double most);

}  // namespace bert::train
