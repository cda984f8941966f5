#include "nn/vector_losses.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "nn/dot.h"

namespace bert::nn {
namespace {

constexpr double kShortest = 1e-12;       // length of a vector to be scaled, as in F.normalize
constexpr double kShortestCosine = 1e-8;  // of a vector in a cosine, as in F.cosine_similarity

double length(std::span<const float> x) { return std::sqrt(dot(x, x.data())); }

// Loss and gradient of vectors in double.
struct Compared {
  double loss;
  std::vector<double> dx;
};

Compared squared(std::span<const double> x, std::span<const float> target) {
  Compared result = {0, std::vector<double>(x.size())};
  const double n = x.size();
  for (size_t i = 0; i < x.size(); ++i) {
    const double difference = x[i] - target[i];
    result.loss += difference * difference / n;
    result.dx[i] = 2 * difference / n;
  }
  return result;
}

// forward:  c = x·t / (|x| |t|)
// so        dx = (t / |t| - c x / |x|) / |x|
Compared by_cosine(std::span<const double> x, std::span<const float> target) {
  double product = 0, squares = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    product += x[i] * target[i];
    squares += x[i] * x[i];
  }
  const double real = std::sqrt(squares), of_x = std::max(real, kShortestCosine);
  const double of_target = std::max(length(target), kShortestCosine);
  const double cosine = product / (of_x * of_target);
  const double along = real < kShortestCosine ? 0 : cosine / of_x;  // a constant divisor has no gradient
  Compared result = {1 - cosine, std::vector<double>(x.size())};
  for (size_t i = 0; i < x.size(); ++i) result.dx[i] = -(target[i] / of_target - along * x[i]) / of_x;
  return result;
}

Compared by_distance(std::span<const double> x, std::span<const float> target) {
  Compared result = {0, std::vector<double>(x.size())};
  double squares = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    result.dx[i] = x[i] - target[i];
    squares += result.dx[i] * result.dx[i];
  }
  result.loss = std::sqrt(squares);
  for (double& d : result.dx) d = result.loss > 0 ? d / result.loss : 0;
  return result;
}

Compared compare(VectorLoss loss, std::span<const double> x, std::span<const float> target) {
  switch (loss) {
    case VectorLoss::mse:
      return squared(x, target);
    case VectorLoss::cosine:
      return by_cosine(x, target);
    case VectorLoss::l2:
      break;
  }
  return by_distance(x, target);
}

// forward:  u = x / |x|
// so        dx = (du - u (u·du)) / |x|
void through_unit_length(std::span<const double> u, double length_of_x, std::vector<double>& du) {
  double along = 0;
  for (size_t i = 0; i < u.size(); ++i) along += u[i] * du[i];
  for (size_t i = 0; i < u.size(); ++i) du[i] = (du[i] - along * u[i]) / length_of_x;
}

}  // namespace

double vector_loss(const VectorLossOptions& options, std::span<const float> x, std::span<const float> target,
                   double weight, std::span<float> dx) {
  assert(x.size() == target.size() && (dx.empty() || dx.size() == x.size()));
  auto dims = options.dims;
  dims.push_back(std::ssize(x));
  std::vector<double> sum(dx.size());
  double loss = 0;
  for (const int64_t d : dims) {
    const auto part = x.first(d);
    const double scale = options.unit_length ? std::max(length(part), kShortest) : 1;
    std::vector<double> compared(part.begin(), part.end());
    for (double& value : compared) value /= scale;
    auto result = compare(options.loss, compared, target.first(d));
    loss += result.loss;
    if (dx.empty()) continue;
    if (options.unit_length) through_unit_length(compared, scale, result.dx);
    for (int64_t i = 0; i < d; ++i) sum[i] += result.dx[i];
  }
  for (size_t i = 0; i < dx.size(); ++i) dx[i] = static_cast<float>(weight * sum[i]);
  return loss;
}

void to_unit_length(std::span<const float> x, std::span<float> u) {
  const double scale = std::max(length(x), kShortest);
  for (size_t i = 0; i < x.size(); ++i) u[i] = static_cast<float>(x[i] / scale);
}

void unit_length_gradient(std::span<const float> x, std::span<const float> du, std::span<float> dx) {
  const double scale = std::max(length(x), kShortest);
  std::vector<double> u(x.begin(), x.end()), d(du.begin(), du.end());
  for (double& value : u) value /= scale;
  through_unit_length(u, scale, d);
  for (size_t i = 0; i < x.size(); ++i) dx[i] = d[i];
}

}  // namespace bert::nn
