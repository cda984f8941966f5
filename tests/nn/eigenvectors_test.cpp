// Eigenvectors by what defines them, and principal components.
#include "nn/eigenvectors.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "nn/principal_components.h"

using namespace bert;

namespace {

std::vector<double> symmetric(int64_t n, uint64_t seed) {
  Random random(seed);
  std::vector<double> matrix(static_cast<size_t>(n * n));
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j <= i; ++j) matrix[i * n + j] = matrix[j * n + i] = random.uniform() - 0.5;
  return matrix;
}

// The largest of |A·x - λ·x| and |xᵀ·y - [x = y]|.
double fault_of(const std::vector<double>& matrix, const nn::Eigenvectors& found, int64_t n) {
  double fault = 0;
  for (int64_t k = 0; k < n; ++k) {
    const double* x = &found.vectors[k * n];
    for (int64_t i = 0; i < n; ++i) {
      double product = 0, cross = 0;
      for (int64_t j = 0; j < n; ++j) {
        product += matrix[i * n + j] * x[j];
        cross += found.vectors[i * n + j] * x[j];
      }
      fault =
          std::max({fault, std::abs(product - found.values[k] * x[i]), std::abs(cross - (i == k ? 1 : 0))});
    }
    if (k > 0) fault = std::max(fault, found.values[k] - found.values[k - 1]);
  }
  return fault;
}

}  // namespace

TEST_CASE("eigenvectors of random matrices are orthonormal and solve A·x = λ·x") {
  for (const int64_t n : {1, 2, 3, 4, 5, 8, 17, 50, 121})
    for (const uint64_t seed : {1, 2, 3}) {
      CAPTURE(n);
      const auto matrix = symmetric(n, seed);
      CHECK(fault_of(matrix, nn::eigenvectors(matrix, n), n) < 1e-13 * static_cast<double>(n + 4));
    }
}

TEST_CASE("equal and vanishing eigenvalues, and matrices that are diagonal already") {
  for (const int64_t n : {2, 6, 9}) {
    std::vector<double> zero(static_cast<size_t>(n * n)), one = zero, ranked = zero, parts = zero;
    for (int64_t i = 0; i < n; ++i) {
      one[i * n + i] = 1;
      parts[i * n + i] = static_cast<double>(i % 3);
      for (int64_t j = 0; j < n; ++j) ranked[i * n + j] = static_cast<double>((i + 1) * (j + 1));
    }
    parts[n] = parts[1] = 4;
    for (const auto& matrix : {zero, one, ranked, parts})
      CHECK(fault_of(matrix, nn::eigenvectors(matrix, n), n) < 1e-12);
    CHECK(nn::eigenvectors(ranked, n).values[1] < 1e-12);
  }
}

TEST_CASE("fewer points than numbers have components, too") {
  Random random(9);
  constexpr int64_t kWidth = 120;
  for (const int64_t rows : {2, 20, 50, 119}) {
    std::vector<float> data;
    for (int64_t i = 0; i < rows * kWidth; ++i) data.push_back(static_cast<float>(random.uniform()) / 30);
    Pool pool(1);
    const auto found = nn::principal_components(data, kWidth, rows - 1, pool);
    CHECK(found.explained == doctest::Approx(1));
  }
}

TEST_CASE("only the lower triangle is read") {
  auto matrix = symmetric(5, 7);
  const auto before = nn::eigenvectors(matrix, 5);
  for (int64_t i = 0; i < 5; ++i)
    for (int64_t j = i + 1; j < 5; ++j) matrix[i * 5 + j] = 99;
  CHECK(nn::eigenvectors(matrix, 5).vectors == before.vectors);
}

TEST_CASE("principal components do not depend on the number of threads, and keep distances if all are kept") {
  Random random(5);
  constexpr int64_t kWidth = 37, kRows = 200;
  std::vector<float> data;
  for (int64_t i = 0; i < kRows * kWidth; ++i)
    data.push_back(static_cast<float>(random.uniform() * (1 + static_cast<double>(i % kWidth))));
  Pool one(1), three(3);
  const auto found = nn::principal_components(data, kWidth, kWidth, one);
  CHECK(nn::principal_components(data, kWidth, kWidth, three).scores == found.scores);
  CHECK(found.explained == doctest::Approx(1));
  double before = 0, after = 0;
  for (int64_t j = 0; j < kWidth; ++j) {
    before += std::pow(data[j] - data[kWidth + j], 2);
    after += std::pow(found.scores[j] - found.scores[kWidth + j], 2);
  }
  CHECK(after == doctest::Approx(before));
  const auto few = nn::principal_components(data, kWidth, 5, one);
  for (int64_t row = 0; row < kRows; ++row)
    for (int64_t k = 0; k < 5; ++k) CHECK(few.scores[row * 5 + k] == found.scores[row * kWidth + k]);
  CHECK(few.explained < 1);
}
