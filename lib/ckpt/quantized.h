// Weights as 8-bit integers with a scale for each row, as compressed-tensors ("int-quantized") stores them:
// beside "NAME.weight" [N,K] in I8 is "NAME.weight_scale" [N,1], and the number is integer · scale.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ckpt/checkpoint.h"

namespace bert::ckpt {

constexpr std::string_view kScale = "_scale", kZeroPoint = "_zero_point";

// Gives matrices of integers their scales, whose tensors are removed. What has none, or a zero point other
// than 0, stays as it is. Error if the number of scales is neither that of rows nor 1.
void join_scales(Contents& contents);

// integer · scale for each row of [scales.size(), …].
void widen(std::span<const std::byte> integers, std::span<const float> scales, std::span<float> to);

}  // namespace bert::ckpt
