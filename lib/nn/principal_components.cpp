#include "nn/principal_components.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "nn/eigenvectors.h"

namespace bert::nn {
namespace {

std::vector<double> mean_of(std::span<const float> data, int64_t width) {
  std::vector<double> mean(width);
  for (size_t i = 0; i < data.size(); ++i) mean[i % width] += data[i];
  const double rows = data.size() / static_cast<double>(width);
  for (double& number : mean) number /= rows;
  return mean;
}

// Σ xᵀ·x of the centred rows, lower triangle, [width, width]. Each number is summed in the order of the rows.
std::vector<double> covariance_of(std::span<const float> data, std::span<const double> mean, Pool& pool) {
  constexpr int64_t kBlock = 16;  // rows of the result
  const int64_t width = std::ssize(mean), rows = std::ssize(data) / width;
  std::vector<double> sums(static_cast<size_t>(width * width));
  pool.run_grid((width + kBlock - 1) / kBlock, [&](int64_t block, int) {
    const int64_t first = block * kBlock, end = std::min(width, first + kBlock);
    std::vector<double> centred(end);
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t j = 0; j < end; ++j) centred[j] = data[row * width + j] - mean[j];
      for (int64_t i = first; i < end; ++i) {
        double* to = &sums[i * width];
        for (int64_t j = 0; j <= i; ++j) to[j] += centred[i] * centred[j];
      }
    }
  });
  return sums;
}

// The component's scores; with the other sign if the one of largest magnitude would be negative.
void project_all(std::span<const float> data, std::span<const double> mean, std::span<const double> component,
                 int64_t place, PrincipalComponents& found) {
  const int64_t width = std::ssize(mean);
  double largest = 0;
  std::vector<double> scores(found.rows);
  for (int64_t row = 0; row < found.rows; ++row) {
    double sum = 0;
    for (int64_t j = 0; j < width; ++j) sum += (data[row * width + j] - mean[j]) * component[j];
    scores[row] = sum;
    if (std::abs(sum) > std::abs(largest)) largest = sum;
  }
  const double sign = largest < 0 ? -1 : 1;
  for (int64_t row = 0; row < found.rows; ++row)
    found.scores[row * found.count + place] = static_cast<float>(sign * scores[row]);
}

}  // namespace

PrincipalComponents principal_components(std::span<const float> data, int64_t width, int64_t count,
                                         Pool& pool, Mean what_of_mean) {
  assert(count <= width && std::ssize(data) % width == 0);
  PrincipalComponents found{.rows = std::ssize(data) / width, .count = count};
  const auto mean = what_of_mean == Mean::kept ? std::vector<double>(width, 0.0) : mean_of(data, width);
  const auto all = eigenvectors(covariance_of(data, mean, pool), width);
  double total = 0, kept = 0;
  for (int64_t k = 0; k < width; ++k) {
    total += std::max(0.0, all.values[k]);
    if (k < count) kept += std::max(0.0, all.values[k]);
  }
  found.explained = total > 0 ? kept / total : 1;
  found.scores.resize(static_cast<size_t>(found.rows * count));
  pool.run_grid(count, [&](int64_t k, int) {
    project_all(data, mean, std::span(all.vectors).subspan(k * width, width), k, found);
  });
  return found;
}

}  // namespace bert::nn
