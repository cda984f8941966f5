// Computes the logits of the masked-language-model head in parts, because all of them would be R·V numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "base/pool.h"
#include "model/network.h"
#include "nn/tensor.h"

namespace bert::predict {

// Calls use(r, logits [V]) for each row of `hidden` [R,H], from the pool's threads, in any order.
void for_each_subword_logits(model::Network& network, Pool& pool, const nn::Tensor& hidden,
                             const std::function<void(int64_t r, std::span<const float> logits)>& use);

}  // namespace bert::predict
