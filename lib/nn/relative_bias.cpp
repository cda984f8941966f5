#include "nn/relative_bias.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace bert::nn {

RelativeBias::RelativeBias(std::string name, const Config& config, Layout& layout) : config_(config) {
  if (is_learned()) {
    table_ = layout.add_plain(std::move(name), {config.rows, config.heads});
  } else {
    slopes_ = slopes(config.heads);
  }
}

std::vector<double> RelativeBias::slopes(int64_t heads) {
  const auto below = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(heads)));
  std::vector<double> slopes;
  for (int64_t i = 1; i <= below; ++i) slopes.push_back(std::exp2(-8.0 * i / below));
  for (int64_t i = 1; std::ssize(slopes) < heads; i += 2) slopes.push_back(std::exp2(-4.0 * i / below));
  return slopes;
}

// 8 + ⌊8·ln(n/8) / ln(128/8)⌋ is 8 + ⌊log₂(n²/64)⌋, which needs no rounding.
int64_t RelativeBias::bucket(int64_t distance) {
  constexpr int64_t kHalf = kBuckets / 2, kExact = kHalf / 2;
  const int64_t before = distance > 0 ? kHalf : 0, n = distance < 0 ? -distance : distance;
  if (n < kExact) return before + n;
  if (n >= kMaxDistance) return before + kHalf - 1;
  return before + kExact + std::bit_width(static_cast<uint64_t>(n * n / (kExact * kExact))) - 1;
}

double RelativeBias::factor() const { return std::sqrt(config_.head_size); }

void RelativeBias::forward(const Weights& weights, std::span<const int64_t> offsets,
                           ByDistance<float>& bias) const {
  int64_t longest = 1;
  for (size_t s = 0; s + 1 < offsets.size(); ++s) longest = std::max(longest, offsets[s + 1] - offsets[s]);
  bias.resize(config_.heads, longest);
  if (!is_learned()) {
    for (int64_t head = 0; head < config_.heads; ++head)
      for (int64_t distance = 1 - longest; distance < longest; ++distance)
        bias.center(head)[distance] = static_cast<float>(-slopes_[head] * std::abs(distance) * factor());
    return;
  }
  const float* const table = weights.plain(table_);
  for (int64_t distance = 1 - longest; distance < longest; ++distance) {
    const float* const row = table + bucket(distance) * config_.heads;
    for (int64_t head = 0; head < config_.heads; ++head)
      bias.center(head)[distance] = static_cast<float>(row[head] * factor());
  }
}

// forward:  bias[h, distance] = table[bucket(distance), h]·√d
// so        dtable[bucket, h] = √d Σ dbias[h, distance] over the distances of the bucket
void RelativeBias::backward(const ByDistance<double>& dbias, Params& gradients) const {
  std::vector<double> sums(kBuckets * config_.heads);
  for (int64_t head = 0; head < config_.heads; ++head)
    for (int64_t distance = 1 - dbias.longest; distance < dbias.longest; ++distance)
      sums[bucket(distance) * config_.heads + head] += dbias.center(head)[distance];
  const auto dtable = gradients.tensor(table_);
  for (size_t i = 0; i < sums.size(); ++i) dtable[i] += static_cast<float>(sums[i] * factor());
}

}  // namespace bert::nn
