#include "nn/rotary.h"

#include <algorithm>
#include <cmath>

namespace bert::nn {

int64_t Rotations::scaled_length(int64_t length) const {
  return config_.scaling == RotaryConfig::Scaling::dynamic && length > config_.positions ? length : 0;
}

std::vector<float> Rotations::frequencies(int64_t length) const {
  using enum RotaryConfig::Scaling;
  const double size = config_.size, factor = config_.factor;
  double theta = config_.theta;
  if (config_.scaling == ntk) theta *= factor;
  if (length > 0) theta *= std::pow(factor * length / config_.positions - (factor - 1), size / (size - 2));
  double divisor = 1;
  if (config_.scaling == linear) divisor = factor;
  if (config_.scaling == ntk) divisor = std::pow(factor, 2 / size);
  std::vector<float> frequencies;
  for (int64_t i = 0; i < config_.size; i += 2) {
    const auto exponent = static_cast<float>(i) / static_cast<float>(config_.size);
    const auto power = static_cast<float>(std::pow(theta, static_cast<double>(exponent)));
    frequencies.push_back(1.0f / power / static_cast<float>(divisor));
  }
  return frequencies;
}

void Rotations::prepare(std::span<const int64_t> offsets) {
  std::map<int64_t, int64_t> longest;  // by scaled length
  for (size_t i = 0; i + 1 < offsets.size(); ++i) {
    const int64_t length = offsets[i + 1] - offsets[i];
    auto& most = longest[scaled_length(length)];
    most = std::max(most, length);
  }
  std::erase_if(angles_,
                [&](const auto& entry) { return entry.first > 0 && !longest.contains(entry.first); });
  for (const auto& [scaled, length] : longest) {
    auto& angles = angles_[scaled];
    const auto turns = frequencies(scaled);
    const int64_t pairs = std::ssize(turns), known = std::ssize(angles) / (2 * pairs);
    if (known >= length) continue;
    angles.resize(2 * pairs * length);
    for (int64_t position = known; position < length; ++position) {
      for (int64_t i = 0; i < pairs; ++i) {
        const float angle = static_cast<float>(position) * turns[i];
        angles[2 * pairs * position + i] = static_cast<float>(std::cos(static_cast<double>(angle)));
        angles[2 * pairs * position + pairs + i] = static_cast<float>(std::sin(static_cast<double>(angle)));
      }
    }
  }
}

Rotations::Turn Rotations::of(int64_t length) const {
  return {angles_.at(scaled_length(length)).data(), config_.size / 2};
}

}  // namespace bert::nn
