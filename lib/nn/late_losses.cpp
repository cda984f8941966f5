#include "nn/late_losses.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "nn/losses.h"
#include "nn/products.h"
#include "nn/rating_losses.h"
#include "nn/vector_losses.h"

namespace bert::nn {
namespace {

constexpr int64_t kAnchorsAtOnce = 64;  // whose scores are in memory
constexpr int64_t kRowsBeyond = 16;     // those that a product may read, see nn/products.h

void clear_rows(Tensor& x) {
  for (int64_t row = 0; row < x.rows(); ++row) std::fill_n(x.row(row), x.cols(), 0.0f);
}

void add_scaled_vector(double scale, std::span<const float> x, float* y) {
  for (size_t i = 0; i < x.size(); ++i) y[i] = static_cast<float>(y[i] + scale * x[i]);
}

// Compares the texts of a batch. Candidates are numbered in the order of their texts.
class LateComparison {
 public:
  LateComparison(Context& context, const LateOptions& options, const LateBatch& batch, bool keeps_best)
      : context_(context), options_(options), batch_(batch), keeps_best_(keeps_best) {
    scratch_.resize(context.pool().size());
    const auto& from = batch.vectors;
    x_.reshape(from.rows() + kRowsBeyond, from.cols());
    context.pool().run_grid(from.rows(), [&](int64_t row, int) {
      if (options.unit_length)
        return to_unit_length(from.values(row), {x_.row(row), static_cast<size_t>(from.cols())});
      std::ranges::copy(from.values(row), x_.row(row));
    });
  }

  int64_t groups() const { return std::ssize(batch_.groups); }
  int64_t candidates() const { return batch_.groups.back().end - groups(); }
  int64_t candidate_of(int64_t group) const { return batch_.groups[group].positive() - (group + 1); }
  int64_t first_row(int64_t text) const { return batch_.offsets[text]; }
  int64_t rows_of(int64_t text) const { return batch_.offsets[text + 1] - batch_.offsets[text]; }

  // scores [count, candidates] of the anchors of these groups.
  void compare(int64_t first, int64_t count, Tensor& scores) {
    scores.reshape(count, candidates());
    best_.assign(count, {});
    context_.pool().run_grid(count, [&](int64_t i, int thread) {
      auto& best = best_[i];
      if (keeps_best_) best.resize(rows_of(batch_.groups[first + i].anchor()) * candidates());
      for (int64_t g = 0; g < groups(); ++g) compare_with(first + i, g, thread, scores.row(i), best);
    });
  }

  // S of the anchor of this group and its own candidates.
  std::vector<double> ratings(int64_t group, int thread, std::vector<int32_t>& best) {
    std::vector<float> scores(candidates());
    if (keeps_best_) best.resize(rows_of(batch_.groups[group].anchor()) * candidates());
    compare_with(group, group, thread, scores.data(), best);
    const auto own = scores.begin() + candidate_of(group);
    return {own, own + (batch_.groups[group].end - batch_.groups[group].positive())};
  }

  // Adds dscore · the gradient of S to dx: of the anchor's vectors, and of the candidate's.
  void add_anchor(int64_t group, int64_t candidate, double dscore, std::span<const int32_t> best,
                  Tensor& dx) const {
    each_match(group, candidate, dscore, best, [&](int64_t query, int64_t document, double weight) {
      add_scaled_vector(weight, x_.values(document), dx.row(query));
    });
  }
  void add_candidate(int64_t group, int64_t candidate, double dscore, std::span<const int32_t> best,
                     Tensor& dx) const {
    each_match(group, candidate, dscore, best, [&](int64_t query, int64_t document, double weight) {
      add_scaled_vector(weight, x_.values(query), dx.row(document));
    });
  }
  std::span<const int32_t> best(int64_t i) const { return best_[i]; }  // of anchor `first + i`

  // Of the vectors before they were scaled.
  void unscale(const Tensor& dx, Tensor& gradient) const {
    context_.pool().run_grid(dx.rows(), [&](int64_t row, int) {
      const std::span<float> out(gradient.row(row), static_cast<size_t>(gradient.cols()));
      unit_length_gradient(batch_.vectors.values(row), dx.values(row), out);
    });
  }

 private:
  double weight_of(int64_t group) const {
    return options_.mean ? 1.0 / static_cast<double>(rows_of(batch_.groups[group].anchor())) : 1;
  }

  // Fills the scores of the candidates of group `g`, and which of their rows were the best.
  void compare_with(int64_t group, int64_t g, int thread, float* scores, std::vector<int32_t>& best) {
    const int64_t anchor = batch_.groups[group].anchor(), rows = rows_of(anchor);
    const auto& own = batch_.groups[g];
    const int64_t from = first_row(own.positive()), columns = first_row(own.end) - from;
    Tensor& products = scratch_[thread];
    products.reshape(rows, columns);
    multiply(context_.kernels(),
             {.rows = rows,
              .cols = columns,
              .depth = x_.cols(),
              .a = {.numbers = x_.row(first_row(anchor)), .stride = x_.stride()},
              .b = {.numbers = x_.row(from), .stride = x_.stride(), .order = Order::columns},
              .c = products.row(0),
              .c_stride = products.stride(),
              .room = true});
    for (int64_t text = own.positive(); text < own.end; ++text) {
      const int64_t candidate = candidate_of(g) + text - own.positive();
      double sum = 0;
      for (int64_t row = 0; row < rows; ++row) {
        const auto of_text = products.values(row).subspan(first_row(text) - from, rows_of(text));
        const auto most = std::ranges::max_element(of_text);
        sum += *most;
        if (keeps_best_)
          best[row * candidates() + candidate] =
              static_cast<int32_t>(first_row(text) + (most - of_text.begin()));
      }
      scores[candidate] = static_cast<float>(weight_of(group) * sum);
    }
  }

  template <class Use>
  void each_match(int64_t group, int64_t candidate, double dscore, std::span<const int32_t> best,
                  const Use& use) const {
    const int64_t anchor = batch_.groups[group].anchor();
    for (int64_t row = 0; row < rows_of(anchor); ++row)
      use(first_row(anchor) + row, best[row * candidates() + candidate], weight_of(group) * dscore);
  }

  Context& context_;
  const LateOptions& options_;
  const LateBatch& batch_;
  const bool keeps_best_;
  Tensor x_;                                // the vectors, and rows that products of the last text read
  std::vector<Tensor> scratch_;             // of each thread
  std::vector<std::vector<int32_t>> best_;  // of each anchor [its rows, candidates]: rows of candidates
};

// One task for each anchor, then one for the candidates of each group, whose gradients are added in the order
// of the anchors.
void add_gradients(Context& context, const LateComparison& compared, const LateBatch& batch, int64_t first,
                   const Tensor& dscores, Tensor& dx) {
  context.pool().run_grid(dscores.rows(), [&](int64_t i, int) {
    for (int64_t candidate = 0; candidate < dscores.cols(); ++candidate)
      compared.add_anchor(first + i, candidate, dscores.row(i)[candidate], compared.best(i), dx);
  });
  context.pool().run_grid(compared.groups(), [&](int64_t g, int) {
    const int64_t begin = compared.candidate_of(g), count = batch.groups[g].end - batch.groups[g].positive();
    for (int64_t candidate = begin; candidate < begin + count; ++candidate)
      for (int64_t i = 0; i < dscores.rows(); ++i)
        compared.add_candidate(first + i, candidate, dscores.row(i)[candidate], compared.best(i), dx);
  });
}

SimilarityResult rank_all(Context& context, const LateOptions& options, const LateBatch& batch,
                          LateComparison& compared, Tensor* dx) {
  const double weight = 1 / static_cast<double>(compared.groups());
  const float scale = options.loss.scale;
  Tensor scores;
  SimilarityResult result;
  for (int64_t first = 0; first < compared.groups(); first += kAnchorsAtOnce) {
    const int64_t count = std::min(kAnchorsAtOnce, compared.groups() - first);
    compared.compare(first, count, scores);
    std::vector<int32_t> gold;
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t c = 0; c < scores.cols(); ++c) scores.row(i)[c] *= scale;
      gold.push_back(static_cast<int32_t>(compared.candidate_of(first + i)));
    }
    const auto loss = softmax_loss(context, {.gold = gold}, static_cast<float>(weight * scale), scores);
    result.loss += weight * loss.sum;
    result.correct += loss.correct;
    if (dx != nullptr) add_gradients(context, compared, batch, first, scores, *dx);
  }
  return result;
}

// Each group touches its own texts alone.
SimilarityResult rate_all(Context& context, const LateOptions& options, const LateBatch& batch,
                          LateComparison& compared, Tensor* dx) {
  const bool margins = options.loss.loss == SimilarityLoss::margin_mse;
  int64_t count = 0;  // of what the mean is over
  for (const auto& group : batch.groups) count += margins ? group.end - group.begin - 2 : 1;
  const double weight = 1 / static_cast<double>(count);
  std::vector<double> losses(batch.groups.size());
  context.pool().run_grid(compared.groups(), [&](int64_t g, int thread) {
    const auto& scores = batch.groups[g].scores;
    std::vector<int32_t> best;
    const auto ratings = compared.ratings(g, thread, best);
    assert(scores.size() == ratings.size());
    const auto rated =
        margins ? squared_margins(ratings, scores) : divergence(ratings, scores, options.loss.temperature);
    losses[g] = rated.loss;
    for (size_t i = 0; dx != nullptr && i < ratings.size(); ++i) {
      const int64_t candidate = compared.candidate_of(g) + static_cast<int64_t>(i);
      compared.add_anchor(g, candidate, weight * rated.gradient[i], best, *dx);
      compared.add_candidate(g, candidate, weight * rated.gradient[i], best, *dx);
    }
  });
  return {.loss = weight * std::accumulate(losses.begin(), losses.end(), 0.0)};
}

}  // namespace

SimilarityResult late_loss(Context& context, const LateOptions& options, const LateBatch& batch,
                           Tensor* gradient) {
  LateComparison compared(context, options, batch, gradient != nullptr);
  Tensor dunits;
  if (gradient != nullptr) {
    gradient->reshape(batch.vectors.rows(), batch.vectors.cols());
    clear_rows(*gradient);
    if (options.unit_length) {
      dunits.reshape(gradient->rows(), gradient->cols());
      clear_rows(dunits);
    }
  }
  Tensor* const dx = gradient == nullptr || !options.unit_length ? gradient : &dunits;
  const auto result = compares_ratings(options.loss.loss) ? rate_all(context, options, batch, compared, dx)
                                                          : rank_all(context, options, batch, compared, dx);
  if (dx == &dunits) compared.unscale(dunits, *gradient);
  return result;
}

std::vector<double> late_scores(Context& context, const LateOptions& options, const LateBatch& batch) {
  LateComparison compared(context, options, batch, false);
  std::vector<double> scores(batch.groups.size());
  context.pool().run_grid(compared.groups(), [&](int64_t g, int thread) {
    std::vector<int32_t> none;
    scores[g] = compared.ratings(g, thread, none).front();
  });
  return scores;
}

std::vector<int64_t> late_ranks(Context& context, const LateOptions& options, const LateBatch& batch) {
  LateComparison compared(context, options, batch, false);
  std::vector<int64_t> ranks;
  Tensor scores;
  for (int64_t first = 0; first < compared.groups(); first += kAnchorsAtOnce) {
    const int64_t count = std::min(kAnchorsAtOnce, compared.groups() - first);
    compared.compare(first, count, scores);
    for (int64_t i = 0; i < count; ++i) {
      const auto of_anchor = scores.values(i);
      const float own = of_anchor[compared.candidate_of(first + i)];
      ranks.push_back(std::ranges::count_if(of_anchor, [own](float score) { return score > own; }));
    }
  }
  return ranks;
}

}  // namespace bert::nn
