#include "nn/guided_loss.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <vector>

#include "nn/encoder_layer.h"
#include "nn/products.h"
#include "nn/vector_losses.h"

namespace bert::nn {
namespace {

using Groups = std::span<const SimilarityGroup>;

constexpr int64_t kTexts = 512;  // whose candidates are in memory at a time

// Anchors, positives and negatives, as rows of all vectors and as their own matrices.
enum Side { anchor, positive, negative, sides };
using Rows = std::array<std::vector<int64_t>, sides>;
using Matrices = std::array<Tensor, sides>;

// The cosines that are compared. The first one's diagonal has the right candidates; the others' diagonals, if
// both sides are one, compare a text with itself.
struct Cosines {
  Side of, with;
};
constexpr Cosines kCompared[] = {
    {anchor, positive}, {anchor, anchor}, {positive, positive}, {anchor, negative}};
constexpr size_t kKinds = std::size(kCompared);
using Scores = std::array<Tensor, kKinds>;

Rows rows_of(Groups groups) {
  Rows rows;
  for (const auto& group : groups) {
    rows[anchor].push_back(group.anchor());
    rows[positive].push_back(group.positive());
    for (int64_t row = group.positive() + 1; row < group.end; ++row) rows[negative].push_back(row);
  }
  return rows;
}

Matrices matrices_of(Context& context, const Tensor& x, const Rows& rows) {
  Matrices matrices;
  for (size_t side = 0; side < sides; ++side) gather_rows(context, x, rows[side], matrices[side]);
  return matrices;
}

// The guide's vectors, scaled to unit length.
Tensor guides_of(Groups groups, int64_t vectors) {
  const auto& front = groups.front();
  const int64_t width = std::ssize(front.guide) / (front.end - front.begin);
  Tensor guides(vectors, width);
  for (const auto& group : groups) {
    assert(std::ssize(group.guide) == width * (group.end - group.begin));
    for (int64_t row = group.begin; row < group.end; ++row)
      to_unit_length(std::span(group.guide).subspan((row - group.begin) * width, width),
                     {guides.row(row), static_cast<size_t>(width)});
  }
  return guides;
}

// scores [texts, candidates] of texts `first` to `first + texts`
void compare(Context& context, const Matrices& x, int64_t first, int64_t texts, Scores& scores) {
  for (size_t kind = 0; kind < kKinds; ++kind) {
    const Tensor &a = x[kCompared[kind].of], &b = x[kCompared[kind].with];
    scores[kind].reshape(texts, b.rows());
    if (b.rows() == 0) continue;
    multiply(context, {.rows = texts,
                       .cols = b.rows(),
                       .depth = a.cols(),
                       .a = {.numbers = a.row(first), .stride = a.stride()},
                       .b = {.numbers = b.row(0), .stride = b.stride(), .order = Order::columns},
                       .c = scores[kind].row(0),
                       .c_stride = scores[kind].stride(),
                       .room = true});
  }
}

// forward:  scores = A·Bᵀ
// so        dA = dscores·B   dB = dscoresᵀ·A
void compare_backward(Context& context, const Matrices& x, int64_t first, const Scores& dscores,
                      Matrices& dx) {
  for (size_t kind = 0; kind < kKinds; ++kind) {
    const auto [of, with] = kCompared[kind];
    const Tensor &a = x[of], &b = x[with], &d = dscores[kind];
    if (b.rows() == 0) continue;
    multiply(context, {.rows = d.rows(),
                       .cols = a.cols(),
                       .depth = b.rows(),
                       .a = {.numbers = d.row(0), .stride = d.stride()},
                       .b = {.numbers = b.row(0), .stride = b.stride()},
                       .c = dx[of].row(first),
                       .c_stride = dx[of].stride(),
                       .into = Into::add});
    multiply(context, {.rows = b.rows(),
                       .cols = a.cols(),
                       .depth = d.rows(),
                       .a = {.numbers = d.row(0), .stride = d.stride(), .order = Order::columns},
                       .b = {.numbers = a.row(first), .stride = a.stride()},
                       .c = dx[with].row(0),
                       .c_stride = dx[with].stride(),
                       .into = Into::add});
  }
}

struct Found {
  double loss = 0;
  bool correct = false;
};

// Replaces row `row` of the scores, that of text `text`, by the gradient of weight·loss.
Found lose(const SimilarityOptions& options, int64_t row, int64_t text, const Scores& guides, double weight,
           Scores& scores) {
  const double near = guides[0].row(row)[text];
  const double limit = near - options.guide_margin * (options.relative_margin ? std::abs(near) : 1);
  const auto counts = [&](size_t kind, int64_t c) {
    const auto [of, with] = kCompared[kind];
    if (kind == 0 && c == text) return true;
    return !(of == with && c == text) && guides[kind].row(row)[c] <= limit;
  };
  const double own = scores[0].row(row)[text];
  double most = own;
  for (size_t kind = 0; kind < kKinds; ++kind)
    for (int64_t c = 0; c < scores[kind].cols(); ++c)
      if (counts(kind, c)) most = std::max(most, double{scores[kind].row(row)[c]});
  double sum = 0;
  for (size_t kind = 0; kind < kKinds; ++kind)
    for (int64_t c = 0; c < scores[kind].cols(); ++c)
      if (counts(kind, c)) sum += std::exp(options.scale * (scores[kind].row(row)[c] - most));
  for (size_t kind = 0; kind < kKinds; ++kind) {
    for (int64_t c = 0; c < scores[kind].cols(); ++c) {
      float& x = scores[kind].row(row)[c];
      const double p = counts(kind, c) ? std::exp(options.scale * (x - most)) / sum : 0;
      x = static_cast<float>(weight * options.scale * (p - (kind == 0 && c == text ? 1 : 0)));
    }
  }
  return {.loss = std::log(sum) - options.scale * (own - most), .correct = own == most};
}

}  // namespace

SimilarityResult add_guided_loss(Context& context, const SimilarityOptions& options, Groups groups,
                                 const Tensor& x, Tensor* dx) {
  const auto rows = rows_of(groups);
  const auto of = matrices_of(context, x, rows),
             guides = matrices_of(context, guides_of(groups, x.rows()), rows);
  Matrices gradients;
  for (size_t side = 0; dx != nullptr && side < sides; ++side) {
    gradients[side].reshape(of[side].rows(), x.cols());
    for (int64_t row = 0; row < of[side].rows(); ++row)
      std::fill_n(gradients[side].row(row), gradients[side].stride(), 0.0f);
  }
  const int64_t texts = std::ssize(groups);
  std::vector<Found> found(texts);
  Scores scores, of_guide;
  for (int64_t first = 0; first < texts; first += kTexts) {
    const int64_t count = std::min(kTexts, texts - first);
    compare(context, of, first, count, scores);
    compare(context, guides, first, count, of_guide);
    context.pool().run_grid(count, [&](int64_t row, int) {
      found[first + row] = lose(options, row, first + row, of_guide, 1 / static_cast<double>(texts), scores);
    });
    if (dx != nullptr) compare_backward(context, of, first, scores, gradients);
  }
  for (size_t side = 0; dx != nullptr && side < sides; ++side)
    add_rows(context, gradients[side], rows[side], *dx);
  SimilarityResult result;
  for (const auto& [loss, correct] : found) {
    result.loss += loss / texts;
    result.correct += correct;
  }
  return result;
}

}  // namespace bert::nn
