#include "nn/similarity_losses.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "base/pool.h"

using namespace bert;
using namespace bert::nn;

namespace {

Tensor random_vectors(int64_t rows, int64_t cols, uint32_t seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  Tensor vectors(rows, cols);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t i = 0; i < cols; ++i) vectors.row(row)[i] = normal(generator);
  return vectors;
}

std::vector<SimilarityGroup> pairs_of(int64_t count) {
  std::vector<SimilarityGroup> groups;
  for (int64_t i = 0; i < count; ++i)
    groups.push_back({.begin = 2 * i, .end = 2 * i + 2, .label = static_cast<double>(i * 7 % 11) / 10});
  return groups;
}

double cosine(const Tensor& x, int64_t a, int64_t b) {
  double ab = 0, aa = 0, bb = 0;
  for (int64_t i = 0; i < x.cols(); ++i) {
    ab += static_cast<double>(x.row(a)[i]) * x.row(b)[i];
    aa += static_cast<double>(x.row(a)[i]) * x.row(a)[i];
    bb += static_cast<double>(x.row(b)[i]) * x.row(b)[i];
  }
  return ab / std::sqrt(aa * bb);
}

}  // namespace

TEST_CASE("cosent by sorted sums equals the sum over all pairs of pairs, for scales that overflow, too") {
  Pool pool(2);
  Context context(pool);
  for (const int64_t count : {1, 2, 3, 50}) {
    const auto vectors = random_vectors(2 * count, 19, static_cast<uint32_t>(count));
    const auto groups = pairs_of(count);
    for (const float scale : {0.5f, 20.0f, 20000.0f}) {
      long double sum = 1;
      double highest = 0;
      for (const auto& i : groups) {
        for (const auto& j : groups) {
          if (i.label >= j.label) continue;
          const double x =
              scale * (cosine(vectors, i.begin, i.begin + 1) - cosine(vectors, j.begin, j.begin + 1));
          highest = std::max(highest, x);
          sum += std::exp(static_cast<long double>(std::min(x, 5000.0)));
        }
      }
      const double loss =
          similarity_loss(context, {.loss = SimilarityLoss::cosent, .scale = scale}, groups, vectors, nullptr)
              .loss;
      if (highest < 5000) CHECK(loss == doctest::Approx(static_cast<double>(std::log(sum))).epsilon(1e-5));
      if (highest >= 5000) CHECK(loss == doctest::Approx(highest).epsilon(1e-3));
    }
  }
}

TEST_CASE("more anchors than are compared at a time give the same loss as a sum over all of them") {
  Pool pool(2);
  Context context(pool);
  const int64_t count = 700;  // 512 at a time
  const auto vectors = random_vectors(2 * count, 8, 1);
  const auto groups = pairs_of(count);
  double loss = 0;
  std::vector<int64_t> ranks;
  for (const auto& anchor : groups) {
    const double own = cosine(vectors, anchor.begin, anchor.begin + 1);
    double sum = 0;
    int64_t nearer = 0;
    for (const auto& other : groups) {
      const double score = cosine(vectors, anchor.begin, other.begin + 1);
      sum += std::exp(20 * score);
      nearer += score > own + 1e-7;
    }
    loss += (std::log(sum) - 20 * own) / static_cast<double>(count);
    ranks.push_back(nearer);
  }
  Tensor gradient;
  const auto result = similarity_loss(context, {}, groups, vectors, &gradient);
  CHECK(result.loss == doctest::Approx(loss).epsilon(1e-6));
  CHECK(result.correct == std::ranges::count(ranks, 0));
  const auto found = ranks_of_positives(context, Similarity::cosine, groups, vectors);
  int64_t differing = 0;
  for (size_t i = 0; i < ranks.size(); ++i) differing += found[i] != ranks[i];
  CHECK(differing <= 2);  // scores that are equal within rounding

  // The gradient is orthogonal to each vector, since only directions matter.
  for (int64_t row = 0; row < 2 * count; ++row) {
    double along = 0, size = 0;
    for (int64_t i = 0; i < 8; ++i) {
      along += static_cast<double>(gradient.row(row)[i]) * vectors.row(row)[i];
      size += std::abs(static_cast<double>(gradient.row(row)[i]) * vectors.row(row)[i]);
    }
    REQUIRE(std::abs(along) <= 1e-5 * size);
    REQUIRE(size > 0);
  }
}

// Products read whole blocks, in memory that a sanitized build guards.
TEST_CASE("any number of wide vectors can be compared") {
  Pool pool(1);
  Context context(pool);
  for (int64_t count = 1; count < 36; ++count) {
    const auto vectors = random_vectors(2 * count, 1024, static_cast<uint32_t>(count));
    Tensor gradient;
    const auto found = similarity_loss(context, {}, pairs_of(count), vectors, &gradient);
    CHECK(found.loss >= 0);
    CHECK(std::isfinite(gradient.row(0)[0]));
  }
}
