#include "nn/max_sim.h"

#include <algorithm>
#include <limits>

namespace bert::nn {

double max_sim(const Kernels& kernels, std::span<const float> query, std::span<const float> document,
               int64_t width) {
  double sum = 0;
  for (size_t q = 0; q < query.size(); q += width) {
    float most = -std::numeric_limits<float>::infinity();
    for (size_t d = 0; d < document.size(); d += width)
      most = std::max(most, kernels.dot(width, query.data() + q, document.data() + d));
    sum += most;
  }
  return sum;
}

}  // namespace bert::nn
