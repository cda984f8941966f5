#include "nn/eigenvectors.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.h"

namespace bert::nn {
namespace {

// A = Q·T·Qᵀ with T tridiagonal.
struct Tridiagonal {
  std::vector<double> diagonal;  // [n]
  std::vector<double> beside;    // [n]; beside[i] is T[i+1][i], the last one 0
  std::vector<double> basis;     // [n,n], Qᵀ: its rows turn into the eigenvectors
};

double dot_of(const double* a, const double* b, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

// Makes v of unit length such that I - 2vvᵀ maps x [count] to a multiple of the first unit vector, which is
// returned; 0 and v = 0 if x already is one.
double reflector_of(std::span<const double> x, std::span<double> v) {
  const double tail = std::sqrt(dot_of(x.data() + 1, x.data() + 1, std::ssize(x) - 1));
  std::ranges::fill(v, 0.0);
  if (tail == 0) return x[0];
  const double norm = std::hypot(x[0], tail);
  const double image = x[0] > 0 ? -norm : norm;
  std::ranges::copy(x, v.begin());
  v[0] -= image;
  const double length = std::hypot(v[0], tail);
  for (double& number : v) number /= length;
  return image;
}

// A <- H·A·H for H = I - 2vvᵀ, where A is the square that begins at row and column `first`:
// with p = A·v and w = 2(p - (vᵀp)v), A <- A - v·wᵀ - w·vᵀ.
void reflect(std::vector<double>& a, int64_t n, int64_t first, std::span<const double> v) {
  const int64_t count = n - first;
  std::vector<double> w(count);
  for (int64_t i = 0; i < count; ++i) w[i] = dot_of(&a[(first + i) * n + first], v.data(), count);
  const double along = dot_of(v.data(), w.data(), count);
  for (int64_t i = 0; i < count; ++i) w[i] = 2 * (w[i] - along * v[i]);
  for (int64_t i = 0; i < count; ++i) {
    double* row = &a[(first + i) * n + first];
    for (int64_t j = 0; j < count; ++j) row[j] -= v[i] * w[j] + w[i] * v[j];
  }
}

Tridiagonal tridiagonal(std::vector<double> a, int64_t n) {
  Tridiagonal t;
  t.diagonal.resize(n);
  t.beside.resize(n);
  std::vector<std::vector<double>> reflectors;
  for (int64_t k = 0; k + 1 < n; ++k) {
    std::vector<double> column, v(static_cast<size_t>(n - k - 1));
    for (int64_t i = k + 1; i < n; ++i) column.push_back(a[i * n + k]);
    t.beside[k] = reflector_of(column, v);
    reflect(a, n, k + 1, v);
    reflectors.push_back(std::move(v));
  }
  for (int64_t i = 0; i < n; ++i) t.diagonal[i] = a[i * n + i];
  // Qᵀ = … H1·H0, from the left: Hk leaves the first k + 1 rows, which are still those of the unit matrix.
  t.basis.assign(static_cast<size_t>(n * n), 0);
  for (int64_t i = 0; i < n; ++i) t.basis[i * n + i] = 1;
  for (int64_t k = n - 2; k >= 0; --k) {
    const auto& v = reflectors[k];
    for (int64_t i = k + 1; i < n; ++i) {
      double* row = &t.basis[i * n + k + 1];
      const double along = 2 * dot_of(row, v.data(), std::ssize(v));
      for (size_t j = 0; j < v.size(); ++j) row[j] -= along * v[j];
    }
  }
  return t;
}

// One implicit QL step on rows [low, high] of T: from the bottom to the top, rotations move the bulge that
// the shift makes. The rows of the basis turn with it.
void ql_step(Tridiagonal& t, int64_t n, int64_t low, int64_t high) {
  auto& d = t.diagonal;
  auto& e = t.beside;
  const double half = (d[low + 1] - d[low]) / (2 * e[low]);
  const double root = std::hypot(half, 1.0);
  double bulge = d[high] - d[low] + e[low] / (half + std::copysign(root, half));
  double sine = 1, cosine = 1, carried = 0;
  for (int64_t i = high - 1; i >= low; --i) {
    const double below = sine * e[i], beside = cosine * e[i];
    const double length = std::hypot(below, bulge);
    e[i + 1] = length;
    if (length == 0) {  // the matrix splits here
      d[i + 1] -= carried;
      e[high] = 0;
      return;
    }
    sine = below / length;
    cosine = bulge / length;
    bulge = d[i + 1] - carried;
    const double turned = (d[i] - bulge) * sine + 2 * cosine * beside;
    carried = sine * turned;
    d[i + 1] = bulge + carried;
    bulge = cosine * turned - beside;
    double *upper = &t.basis[i * n], *lower = &t.basis[(i + 1) * n];
    for (int64_t j = 0; j < n; ++j) {
      const double old = lower[j];
      lower[j] = sine * upper[j] + cosine * old;
      upper[j] = cosine * upper[j] - sine * old;
    }
  }
  d[low] -= carried;
  e[low] = bulge;
  e[high] = 0;
}

void diagonalize(Tridiagonal& t, int64_t n) {
  constexpr int kMostSteps = 60;  // for each value; two are usual
  // Relative to the whole matrix: beside values that are 0 but for rounding, nothing would be small.
  double largest = 0;
  for (int64_t i = 0; i < n; ++i)
    largest = std::max(largest, std::abs(t.diagonal[i]) + std::abs(t.beside[i]));
  const double negligible = std::numeric_limits<double>::epsilon() * largest;
  for (int64_t low = 0; low < n; ++low) {
    for (int steps = 0;; ++steps) {
      int64_t high = low;
      while (high + 1 < n && std::abs(t.beside[high]) > negligible) ++high;
      if (high == low) break;
      if (steps == kMostSteps) throw Error("the eigenvalues of a matrix do not converge");
      ql_step(t, n, low, high);
    }
  }
}

}  // namespace

Eigenvectors eigenvectors(std::span<const double> matrix, int64_t n) {
  assert(std::ssize(matrix) == n * n);
  std::vector<double> whole(matrix.begin(), matrix.end());
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = i + 1; j < n; ++j) whole[i * n + j] = whole[j * n + i];
  auto t = tridiagonal(std::move(whole), n);
  diagonalize(t, n);
  std::vector<int64_t> order(n);
  std::iota(order.begin(), order.end(), int64_t{0});
  std::ranges::stable_sort(order, [&](int64_t a, int64_t b) { return t.diagonal[a] > t.diagonal[b]; });
  Eigenvectors found;
  for (const int64_t k : order) {
    found.values.push_back(t.diagonal[k]);
    found.vectors.insert(found.vectors.end(), t.basis.begin() + k * n, t.basis.begin() + (k + 1) * n);
  }
  return found;
}

}  // namespace bert::nn
