#include "nn/late_losses.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "base/pool.h"
#include "nn/kernels/kernels.h"
#include "nn/max_sim.h"
#include "nn/rating_losses.h"

using namespace bert;
using namespace bert::nn;

namespace {

// Groups with one to three candidates, of texts with one to five vectors.
struct Texts {
  std::vector<SimilarityGroup> groups;
  std::vector<int64_t> offsets = {0};
  Tensor vectors;

  Texts(int64_t count, int64_t width, uint32_t seed, int64_t least_candidates = 1) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    int64_t text = 0;
    for (int64_t g = 0; g < count; ++g) {
      SimilarityGroup group = {.begin = text,
                               .end = text + 1 + least_candidates + static_cast<int64_t>(random() % 3)};
      for (text = group.begin; text < group.end; ++text)
        offsets.push_back(offsets.back() + 1 + static_cast<int64_t>(random() % 5));
      for (int64_t i = group.begin + 1; i < group.end; ++i) group.scores.push_back(3 * normal(random));
      groups.push_back(std::move(group));
    }
    vectors.reshape(offsets.back(), width);
    for (int64_t row = 0; row < vectors.rows(); ++row)
      for (int64_t i = 0; i < width; ++i) vectors.row(row)[i] = normal(random);
  }

  LateBatch batch() const { return {.groups = groups, .offsets = offsets, .vectors = vectors}; }

  // The same numbers moved by step·along.
  double number(int64_t row, int64_t i) const {
    return vectors.row(row)[i] + (along == nullptr ? 0 : step * along->row(row)[i]);
  }

  double similarity(int64_t a, int64_t b, const LateOptions& options) const {
    double sum = 0;
    for (int64_t i = offsets[a]; i < offsets[a + 1]; ++i) {
      double most = -INFINITY;
      for (int64_t j = offsets[b]; j < offsets[b + 1]; ++j) {
        double product = 0, aa = 0, bb = 0;
        for (int64_t k = 0; k < vectors.cols(); ++k) {
          const double x = number(i, k), y = number(j, k);
          product += x * y;
          aa += x * x;
          bb += y * y;
        }
        most = std::max(most, options.unit_length ? product / std::sqrt(aa * bb) : product);
      }
      sum += most;
    }
    return options.mean ? sum / static_cast<double>(offsets[a + 1] - offsets[a]) : sum;
  }

  double ranking(const LateOptions& options) const {
    double loss = 0;
    for (const auto& anchor : groups) {
      double sum = 0;
      const double own = options.loss.scale * similarity(anchor.begin, anchor.begin + 1, options);
      for (const auto& other : groups)
        for (int64_t text = other.begin + 1; text < other.end; ++text)
          sum += std::exp(options.loss.scale * similarity(anchor.begin, text, options) - own);
      loss += std::log(sum) / static_cast<double>(groups.size());
    }
    return loss;
  }

  double rating(const LateOptions& options) const {
    const bool margins = options.loss.loss == SimilarityLoss::margin_mse;
    double loss = 0, count = 0;
    for (const auto& group : groups) {
      std::vector<double> ratings;
      for (int64_t text = group.begin + 1; text < group.end; ++text)
        ratings.push_back(similarity(group.begin, text, options));
      const auto rated = margins ? squared_margins(ratings, group.scores)
                                 : divergence(ratings, group.scores, options.loss.temperature);
      loss += rated.loss;
      count += margins ? static_cast<double>(ratings.size()) - 1 : 1;
    }
    return loss / count;
  }

  const Tensor* along = nullptr;
  double step = 0;
};

}  // namespace

TEST_CASE(
    "the loss of late interaction is that of its definition, for more anchors than are compared at a time") {
  Pool pool(2);
  Context context(pool);
  for (const int64_t count : {1, 7, 150}) {
    const Texts texts(count, 11, static_cast<uint32_t>(count));
    for (const bool unit_length : {true, false}) {
      for (const bool mean : {true, false}) {
        const LateOptions options = {.loss = {.scale = 0.5f}, .unit_length = unit_length, .mean = mean};
        const auto found = late_loss(context, options, texts.batch(), nullptr);
        CHECK(found.loss == doctest::Approx(texts.ranking(options)).epsilon(1e-5));
        const auto scores = late_scores(context, options, texts.batch());
        const auto ranks = late_ranks(context, options, texts.batch());
        int64_t first = 0;
        for (size_t g = 0; g < texts.groups.size(); ++g) {
          const auto& group = texts.groups[g];
          const double own = texts.similarity(group.begin, group.begin + 1, options);
          CHECK(scores[g] == doctest::Approx(own).epsilon(1e-5));
          int64_t nearer = 0;
          for (const auto& other : texts.groups)
            for (int64_t text = other.begin + 1; text < other.end; ++text)
              nearer += texts.similarity(group.begin, text, options) > own + 1e-5;
          CHECK(std::abs(ranks[g] - nearer) <= 1);
          first += ranks[g] == 0;
        }
        CHECK(found.correct == first);
      }
    }
  }
}

// The slope of the definition in f64, with steps that hardly ever change which products are the largest.
TEST_CASE("gradients of late interaction equal the slope of its losses") {
  Pool pool(2);
  Context context(pool);
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  for (const auto loss : {SimilarityLoss::ranking, SimilarityLoss::margin_mse, SimilarityLoss::kl}) {
    for (const bool unit_length : {true, false}) {
      Texts texts(70, 9, 5, 2);
      const LateOptions options = {.loss = {.loss = loss, .scale = 2, .temperature = 3},
                                   .unit_length = unit_length,
                                   .mean = unit_length};
      Tensor gradient, along(texts.vectors.rows(), 9);
      late_loss(context, options, texts.batch(), &gradient);
      double slope = 0;
      for (int64_t row = 0; row < along.rows(); ++row)
        for (int64_t i = 0; i < 9; ++i)
          slope += double{gradient.row(row)[i]} * (along.row(row)[i] = normal(random));
      texts.along = &along;
      const auto loss_at = [&](double step) {
        texts.step = step;
        return loss == SimilarityLoss::ranking ? texts.ranking(options) : texts.rating(options);
      };
      constexpr double kStep = 1e-7;
      const double expected = (loss_at(kStep) - loss_at(-kStep)) / (2 * kStep);
      CHECK(slope == doctest::Approx(expected).epsilon(1e-4));
      texts.step = 0;
      CHECK(late_loss(context, options, texts.batch(), nullptr).loss ==
            doctest::Approx(loss_at(0)).epsilon(1e-5));
    }
  }
}

TEST_CASE("gradients of late interaction do not depend on the number of threads") {
  const Texts texts(100, 16, 8);
  std::vector<std::vector<float>> found;
  for (const int threads : {1, 2, 3}) {
    Pool pool(threads);
    Context context(pool);
    Tensor gradient;
    late_loss(context, {}, texts.batch(), &gradient);
    auto& numbers = found.emplace_back();
    for (int64_t row = 0; row < gradient.rows(); ++row)
      numbers.insert(numbers.end(), gradient.values(row).begin(), gradient.values(row).end());
  }
  CHECK(found[0] == found[1]);
  CHECK(found[0] == found[2]);
}

TEST_CASE("the score of two texts is the sum of the largest products") {
  const Texts texts(6, 20, 2);
  const LateOptions options = {.unit_length = false};
  const auto vectors_of = [&](int64_t text) {
    std::vector<float> all;
    for (int64_t row = texts.offsets[text]; row < texts.offsets[text + 1]; ++row)
      all.insert(all.end(), texts.vectors.values(row).begin(), texts.vectors.values(row).end());
    return all;
  };
  for (int64_t a = 0; a < 6; ++a)
    for (int64_t b = 0; b < 6; ++b)
      CHECK(max_sim(usable_kernels(), vectors_of(a), vectors_of(b), 20) ==
            doctest::Approx(texts.similarity(a, b, options)).epsilon(1e-5));
}
