// Gradient clipping by global norm (Pascanu et al. 2013, "On the difficulty of training recurrent neural
// networks").
#pragma once

#include "base/pool.h"
#include "nn/kernels/kernels.h"
#include "nn/params.h"

namespace bert::train {

// √Σ g² over all gradients. Adds in double precision in a fixed order, so the result has the same bits for
// any number of threads and any instruction set. It cannot overflow: it is finite if and only if every
// gradient is.
double global_norm(const nn::Params& gradients, Pool& pool, const nn::Kernels& kernels = nn::kernels());

// Factor that scales gradients of this finite norm to a norm of at most `most`: min(1, most / norm), as in
// tf.clip_by_global_norm. PyTorch adds 1e-6 to the norm to avoid a division by zero, which cannot happen
// here, and so clips slightly more. most = 0 turns clipping off.
double clip_factor(double norm, double most);

}  // namespace bert::train
