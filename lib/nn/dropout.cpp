#include "nn/dropout.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace bert::nn {

DropoutKey dropout_key(const DropoutSeed& dropout_seed, uint64_t sequence, uint64_t layer, DropoutSite site,
                       uint64_t head) {
  const uint64_t place = layer * static_cast<uint64_t>(DropoutSite::count) + static_cast<uint64_t>(site);
  Random random(dropout_seed.seed, {dropout_seed.step, sequence, place, head});
  const uint32_t first = random.next();
  return {first, random.next()};
}

DropoutRate::DropoutRate(float probability) {
  const auto parts = std::lround(static_cast<double>(probability) * 65536);
  threshold = std::clamp(parts, 0L, 65535L);
  scale = static_cast<float>(65536.0 / (65536.0 - threshold));
}

}  // namespace bert::nn
