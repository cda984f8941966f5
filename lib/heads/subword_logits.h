// The logits of a masked-language-model head, in parts, because all of them would be many.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "base/pool.h"
#include "model/network.h"
#include "nn/tensor.h"

namespace bert::heads {

// Calls use(row, logits [V]) for each row of `hidden` [R,H], from the pool's threads, in any order. `use`
// must not throw.
void for_each_row(model::Network& network, Pool& pool, const nn::Tensor& hidden,
                  const std::function<void(size_t row, std::span<const float> logits)>& use);

}  // namespace bert::heads
