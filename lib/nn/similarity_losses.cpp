#include "nn/similarity_losses.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "nn/dot.h"
#include "nn/encoder_layer.h"
#include "nn/guided_loss.h"
#include "nn/losses.h"
#include "nn/products.h"
#include "nn/rating_losses.h"

namespace bert::nn {
namespace {

using Groups = std::span<const SimilarityGroup>;

constexpr int64_t kAnchors = 512;          // anchors whose scores are in memory at a time
constexpr double kLeastLength = 1e-12;     // of a vector, as in PyTorch's F.normalize
constexpr double kDistanceEpsilon = 1e-6;  // of PyTorch's F.pairwise_distance, |a - b + epsilon|
constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

void add_scaled(double scale, const float* x, int64_t n, float* y) {
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<float>(y[i] + scale * x[i]);
}

void clear(Tensor& x) {
  for (int64_t row = 0; row < x.rows(); ++row) std::fill_n(x.row(row), x.cols(), 0.0f);
}

double length_of(std::span<const float> x) { return std::max(std::sqrt(dot(x, x.data())), kLeastLength); }

// units [S,d] = the first d numbers of each vector, scaled to unit length.
Tensor units_of(Context& context, const Tensor& vectors, int64_t d) {
  Tensor units(vectors.rows(), d);
  context.pool().run_grid(vectors.rows(), [&](int64_t row, int) {
    const double length = length_of(vectors.values(row).first(d));
    for (int64_t i = 0; i < d; ++i) units.row(row)[i] = static_cast<float>(vectors.row(row)[i] / length);
  });
  return units;
}

// forward:  u = x / |x|
// so        dx = (du - u (u·du)) / |x|
void backward_units(Context& context, const Tensor& vectors, const Tensor& units, const Tensor& dunits,
                    Tensor& gradient) {
  const int64_t d = units.cols();
  context.pool().run_grid(vectors.rows(), [&](int64_t row, int) {
    const float *u = units.row(row), *du = dunits.row(row);
    const double length = length_of(vectors.values(row).first(d)), along = dot(units.values(row), du);
    float* const dx = gradient.row(row);
    for (int64_t i = 0; i < d; ++i) dx[i] = static_cast<float>(dx[i] + (du[i] - along * u[i]) / length);
  });
}

std::vector<int64_t> anchors_of(Groups groups) {
  std::vector<int64_t> rows;
  for (const auto& group : groups) rows.push_back(group.anchor());
  return rows;
}

std::vector<int64_t> positives_of(Groups groups) {
  std::vector<int64_t> rows;
  for (const auto& group : groups) rows.push_back(group.positive());
  return rows;
}

// The positives, then all negatives.
std::vector<int64_t> candidates_of(Groups groups) {
  auto rows = positives_of(groups);
  for (const auto& group : groups)
    for (int64_t row = group.positive() + 1; row < group.end; ++row) rows.push_back(row);
  return rows;
}

// scores [R,C] = the products of `rows` of a and all rows of b
void multiply_rows(Context& context, const Tensor& a, int64_t first, int64_t rows, const Tensor& b,
                   Tensor& scores) {
  scores.reshape(rows, b.rows());
  multiply(context, {.rows = rows,
                     .cols = b.rows(),
                     .depth = a.cols(),
                     .a = {.numbers = a.row(first), .stride = a.stride()},
                     .b = {.numbers = b.row(0), .stride = b.stride(), .order = Order::columns},
                     .c = scores.row(0),
                     .c_stride = scores.stride(),
                     .room = true});
}

// Adds weight · Σ_i cross-entropy of anchor i over the candidates, of which candidate i is the right one.
//
// forward:  scores = scale·A·Cᵀ
// so        dA = scale·dscores·C   dC = scale·dscoresᵀ·A
Loss add_ranking(Context& context, const Tensor& units, std::span<const int64_t> anchors,
                 std::span<const int64_t> candidates, float scale, double weight, Tensor* dunits) {
  Tensor a, c, scores;
  gather_rows(context, units, anchors, a);
  gather_rows(context, units, candidates, c);
  Tensor da(dunits ? a.rows() : 0, a.cols()), dc(dunits ? c.rows() : 0, a.cols());
  Loss loss;
  for (int64_t first = 0; first < a.rows(); first += kAnchors) {
    const int64_t rows = std::min(kAnchors, a.rows() - first);
    multiply_rows(context, a, first, rows, c, scores);
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t i = 0; i < c.rows(); ++i) scores.row(row)[i] *= scale;
    std::vector<int32_t> gold(rows);
    std::iota(gold.begin(), gold.end(), first);
    loss += softmax_loss(context, {.gold = gold}, static_cast<float>(weight * scale), scores);
    if (!dunits) continue;
    multiply(context, {.rows = rows,
                       .cols = a.cols(),
                       .depth = c.rows(),
                       .a = {.numbers = scores.row(0), .stride = scores.stride()},
                       .b = {.numbers = c.row(0), .stride = c.stride()},
                       .c = da.row(first),
                       .c_stride = da.stride()});
    multiply(context, {.rows = c.rows(),
                       .cols = a.cols(),
                       .depth = rows,
                       .a = {.numbers = scores.row(0), .stride = scores.stride(), .order = Order::columns},
                       .b = {.numbers = a.row(first), .stride = a.stride()},
                       .c = dc.row(0),
                       .c_stride = dc.stride(),
                       .into = first == 0 ? Into::replace : Into::add});
  }
  if (dunits) {
    add_rows(context, da, anchors, *dunits);
    add_rows(context, dc, candidates, *dunits);
  }
  return loss;
}

SimilarityResult add_rankings(Context& context, const SimilarityOptions& options, Groups groups,
                              const Tensor& units, Tensor* dunits) {
  const auto anchors = anchors_of(groups), positives = positives_of(groups),
             candidates = candidates_of(groups);
  const bool symmetric = options.loss == SimilarityLoss::symmetric;
  const double weight = 1 / static_cast<double>(groups.size() * (symmetric ? 2 : 1));
  const auto forth = add_ranking(context, units, anchors, candidates, options.scale, weight, dunits);
  SimilarityResult result = {.loss = weight * forth.sum, .correct = forth.correct};
  if (symmetric)
    result.loss +=
        weight * add_ranking(context, units, positives, anchors, options.scale, weight, dunits).sum;
  return result;
}

// Adds the gradient `dcosine` of a pair's cosine.
void add_pair(const SimilarityGroup& group, double dcosine, const Tensor& units, Tensor& dunits) {
  const int64_t d = units.cols();
  add_scaled(dcosine, units.row(group.positive()), d, dunits.row(group.anchor()));
  add_scaled(dcosine, units.row(group.anchor()), d, dunits.row(group.positive()));
}

double log_add(double a, double b) {
  const double high = std::max(a, b), low = std::min(a, b);
  return low == kMinusInfinity ? high : high + std::log1p(std::exp(low - high));
}

// cosent in O(n log n): with the pairs in the order of their labels, Σ over i before j is a running sum.
//
//   loss = ln(1 + Σ_j e^-x_j · Σ_{label_i < label_j} e^x_i),  x = s·cos
//   dloss/dx_i = e^(x_i - loss) · Σ_{label_j > label_i} e^-x_j - e^(-x_i - loss) · Σ_{label_j < label_i}
//   e^x_j
class Cosent {
 public:
  Cosent(std::vector<double> x, Groups groups) : x_(std::move(x)), groups_(groups), order_(x_.size()) {
    std::iota(order_.begin(), order_.end(), size_t{0});
    std::ranges::stable_sort(order_, {}, [&](size_t i) { return groups[i].label; });
    below_ = sums(order_, 1);
    const std::vector<size_t> reversed(order_.rbegin(), order_.rend());
    above_ = sums(reversed, -1);
    for (size_t i = 0; i < x_.size(); ++i) loss_ = log_add(loss_, below_[i] - x_[i]);
  }

  double loss() const { return loss_; }
  double gradient(size_t i) const {
    return std::exp(x_[i] - loss_ + above_[i]) - std::exp(below_[i] - x_[i] - loss_);
  }

 private:
  // For each pair, ln Σ e^(sign·x) over the pairs before it in `order` that have another label.
  std::vector<double> sums(const std::vector<size_t>& order, int sign) const {
    std::vector<double> before(x_.size());
    double sum = kMinusInfinity;
    for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
      while (end < order.size() && groups_[order[end]].label == groups_[order[begin]].label) ++end;
      for (size_t i = begin; i < end; ++i) before[order[i]] = sum;
      for (size_t i = begin; i < end; ++i) sum = log_add(sum, sign * x_[order[i]]);
    }
    return before;
  }

  const std::vector<double> x_;
  const Groups groups_;
  std::vector<size_t> order_;
  std::vector<double> below_, above_;
  double loss_ = 0;  // ln 1
};

double add_cosent(float scale, Groups groups, const Tensor& units, Tensor* dunits) {
  std::vector<double> x;
  for (const auto& group : groups)
    x.push_back(scale * dot(units.values(group.anchor()), units.row(group.positive())));
  const Cosent cosent(std::move(x), groups);
  for (size_t i = 0; dunits && i < groups.size(); ++i)
    add_pair(groups[i], scale * cosent.gradient(i), units, *dunits);
  return cosent.loss();
}

double add_cosine(Groups groups, const Tensor& units, Tensor* dunits) {
  const double count = groups.size();
  double loss = 0;
  for (const auto& group : groups) {
    const double cosine = dot(units.values(group.anchor()), units.row(group.positive()));
    const double difference = cosine - group.label;
    loss += difference * difference / count;
    if (dunits) add_pair(group, 2 * difference / count, units, *dunits);
  }
  return loss;
}

double distance_of(Distance kind, std::span<const float> a, const float* b) {
  return kind == Distance::cosine ? 1 - dot(a, b) : std::sqrt(squared_distance(a, b, -kDistanceEpsilon));
}

// Adds weight · the gradient of distance_of, whose value is `distance`.
void add_distance(Distance kind, double distance, double weight, int64_t n, const float* a, const float* b,
                  float* da, float* db) {
  if (kind == Distance::cosine) {
    add_scaled(-weight, b, n, da);
    add_scaled(-weight, a, n, db);
    return;
  }
  for (int64_t i = 0; distance > 0 && i < n; ++i) {
    const double step = weight * (static_cast<double>(a[i]) - b[i] + kDistanceEpsilon) / distance;
    da[i] = static_cast<float>(da[i] + step);
    db[i] = static_cast<float>(db[i] - step);
  }
}

// `x`: unit vectors for the cosine distance.
double add_triplets(const SimilarityOptions& options, Groups groups, const Tensor& x, Tensor* dx) {
  int64_t triplets = 0;
  for (const auto& group : groups) triplets += group.end - group.begin - 2;
  const double weight = 1 / static_cast<double>(triplets);
  const int64_t n = x.cols();
  double loss = 0;
  for (const auto& group : groups) {
    const int64_t a = group.anchor(), p = group.positive();
    const double near = distance_of(options.distance, x.values(a), x.row(p));
    for (int64_t negative = p + 1; negative < group.end; ++negative) {
      const double far = distance_of(options.distance, x.values(a), x.row(negative));
      const double excess = near - far + options.margin;
      if (excess <= 0) continue;
      loss += weight * excess;
      if (!dx) continue;
      add_distance(options.distance, near, weight, n, x.row(a), x.row(p), dx->row(a), dx->row(p));
      add_distance(options.distance, far, -weight, n, x.row(a), x.row(negative), dx->row(a),
                   dx->row(negative));
    }
  }
  return loss;
}

SimilarityResult add_loss(Context& context, const SimilarityOptions& options, Groups groups,
                          const Tensor& units, Tensor* dunits) {
  switch (options.loss) {
    case SimilarityLoss::ranking:
    case SimilarityLoss::symmetric:
      return add_rankings(context, options, groups, units, dunits);
    case SimilarityLoss::cosent:
      return {.loss = add_cosent(options.scale, groups, units, dunits)};
    case SimilarityLoss::cosine:
      return {.loss = add_cosine(groups, units, dunits)};
    case SimilarityLoss::margin_mse:
    case SimilarityLoss::kl:
      return {.loss = add_rating_loss(options, groups, units, dunits)};
    case SimilarityLoss::gist:
      return add_guided_loss(context, options, groups, units, dunits);
    case SimilarityLoss::triplet:
      break;
  }
  return {.loss = add_triplets(options, groups, units, dunits)};
}

}  // namespace

SimilarityResult similarity_loss(Context& context, const SimilarityOptions& options, Groups groups,
                                 const Tensor& vectors, Tensor* gradient) {
  if (gradient) {
    gradient->reshape(vectors.rows(), vectors.cols());
    clear(*gradient);
  }
  if (options.loss == SimilarityLoss::triplet && options.distance == Distance::euclidean) {
    assert(options.dims.empty());
    return {.loss = add_triplets(options, groups, vectors, gradient)};
  }
  if (options.similarity == Similarity::dot) {
    assert(options.dims.empty());
    assert(options.loss == SimilarityLoss::ranking || compares_ratings(options.loss));
    return add_loss(context, options, groups, vectors, gradient);
  }
  auto dims = options.dims;
  dims.push_back(vectors.cols());
  SimilarityResult result;
  for (const int64_t d : dims) {
    const Tensor units = units_of(context, vectors, d);
    Tensor dunits(gradient ? vectors.rows() : 0, d);
    clear(dunits);
    const auto part = add_loss(context, options, groups, units, gradient ? &dunits : nullptr);
    if (gradient) backward_units(context, vectors, units, dunits, *gradient);
    result = {.loss = result.loss + part.loss, .correct = part.correct};
  }
  return result;
}

double cosent(Groups groups, std::vector<double> similarities, double scale) {
  for (double& similarity : similarities) similarity *= scale;
  return Cosent(std::move(similarities), groups).loss();
}

std::vector<double> similarities(Similarity similarity, Groups groups, const Tensor& vectors) {
  std::vector<double> values;
  for (const auto& group : groups) {
    const auto a = vectors.values(group.anchor()), b = vectors.values(group.positive());
    const double lengths = similarity == Similarity::cosine ? length_of(a) * length_of(b) : 1;
    values.push_back(dot(a, b.data()) / lengths);
  }
  return values;
}

std::vector<int64_t> ranks_of_positives(Context& context, Similarity similarity, Groups groups,
                                        const Tensor& vectors) {
  Tensor units;
  if (similarity == Similarity::cosine) units = units_of(context, vectors, vectors.cols());
  const Tensor& x = similarity == Similarity::cosine ? units : vectors;
  Tensor a, c, scores;
  gather_rows(context, x, anchors_of(groups), a);
  gather_rows(context, x, candidates_of(groups), c);
  std::vector<int64_t> ranks(groups.size());
  for (int64_t first = 0; first < a.rows(); first += kAnchors) {
    const int64_t rows = std::min(kAnchors, a.rows() - first);
    multiply_rows(context, a, first, rows, c, scores);
    context.pool().run_grid(rows, [&](int64_t row, int) {
      const auto of_anchor = scores.values(row);
      const float own = of_anchor[first + row];
      ranks[first + row] = std::ranges::count_if(of_anchor, [own](float score) { return score > own; });
    });
  }
  return ranks;
}

}  // namespace bert::nn
