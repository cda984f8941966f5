#include "search/silhouette.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace bert::search {
namespace {

double dot(const double* a, const double* b, int64_t width) {
  double sum = 0;
  for (int64_t i = 0; i < width; ++i) sum += a[i] * b[i];
  return sum;
}

// The row in unit length, or zeros.
void set_unit(std::vector<double>& unit, const float* row) {
  std::copy_n(row, unit.size(), unit.begin());
  const double norm = std::sqrt(dot(unit.data(), unit.data(), std::ssize(unit)));
  if (norm > 0)
    for (double& number : unit) number /= norm;
}

}  // namespace

// The distances of a row u from those of a cluster add up to their number less u times the sum of the
// cluster's rows, all of unit length.
std::vector<double> silhouettes(const Vectors& vectors, const Clustering& clustering, Pool& pool) {
  const auto& sizes = clustering.sizes;
  if (std::ranges::count_if(sizes, [](int64_t size) { return size > 0; }) < 2) return {};
  const int64_t width = vectors.width(), clusters = std::ssize(sizes);
  std::vector<double> sums(clusters * width);
  nn::Memory scratch;
  std::vector<double> unit(width);
  for (int64_t row = 0; row < vectors.rows(); ++row) {
    const int32_t cluster = clustering.cluster[row];
    if (cluster == kNoCluster) continue;
    set_unit(unit, vectors.row(row, scratch));
    for (int64_t i = 0; i < width; ++i) sums[cluster * width + i] += unit[i];
  }
  std::vector<double> values(vectors.rows());
  pool.run_grid(vectors.blocks(), [&](int64_t b, int) {
    nn::Memory own_scratch;
    std::vector<double> own_unit(width);
    const int64_t end = std::min(vectors.rows(), (b + 1) * kBlock);
    for (int64_t row = b * kBlock; row < end; ++row) {
      const int32_t own = clustering.cluster[row];
      values[row] = own == kNoCluster ? std::numeric_limits<double>::quiet_NaN() : 0;
      if (own == kNoCluster || sizes[own] == 1) continue;
      set_unit(own_unit, vectors.row(row, own_scratch));
      double inside = 0, outside = INFINITY;
      for (int64_t k = 0; k < clusters; ++k) {
        if (sizes[k] == 0) continue;
        const auto size = static_cast<double>(sizes[k]);
        const double sum = size - dot(own_unit.data(), sums.data() + k * width, width);
        if (k == own)  // less the distance from itself
          inside = (sum - (1 - dot(own_unit.data(), own_unit.data(), width))) / (size - 1);
        else
          outside = std::min(outside, sum / size);
      }
      const double larger = std::max(inside, outside);
      values[row] = larger > 0 ? (outside - inside) / larger : 0;
    }
  });
  return values;
}

}  // namespace bert::search
