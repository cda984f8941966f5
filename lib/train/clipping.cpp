#include "train/clipping.h"

#include <cmath>
#include <numeric>
#include <vector>

#include "train/subwords.h"

namespace bert::train {

double global_norm(const nn::Params& gradients, Pool& pool, const nn::Kernels& kernels) {
  const auto subwords = subwords_of(gradients.layout());
  std::vector<double> sums(subwords.size());
  pool.run_grid(static_cast<int64_t>(subwords.size()), [&](int64_t i, int) {
    const auto& subword = subwords[static_cast<size_t>(i)];
    sums[static_cast<size_t>(i)] =
        kernels.sum_of_squares(subword.count, gradients.all().data() + subword.start);
  });
  return std::sqrt(std::accumulate(sums.begin(), sums.end(), 0.0));
}

double clip_factor(double norm, double most) { return most > 0 && norm > most ? most / norm : 1; }

}  // namespace bert::train
