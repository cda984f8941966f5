#include "train/clipping.h"

#include <cmath>
#include <numeric>
#include <vector>

#include "train/pieces.h"

namespace bert::train {

double global_norm(const nn::Params& gradients, Pool& pool, const nn::Kernels& kernels) {
  const auto pieces = pieces_of(gradients.layout());
  std::vector<double> sums(pieces.size());
  pool.run_grid(static_cast<int64_t>(pieces.size()), [&](int64_t i, int) {
    const auto& piece = pieces[static_cast<size_t>(i)];
    sums[static_cast<size_t>(i)] = kernels.sum_of_squares(piece.count, gradients.all().data() + piece.start);
  });
  return std::sqrt(std::accumulate(sums.begin(), sums.end(), 0.0));
}

double clip_factor(double norm, double most) { return most > 0 && norm > most ? most / norm : 1; }

}  // namespace bert::train
