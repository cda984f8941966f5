// Losses of sentence vectors that compare vectors with each other, as sentence-transformers defines them. The
// vectors are those of a whole training step, so in-batch negatives come from all its micro-batches.
//
// u, v are vectors, cos(u, v) = u·v / (|u| |v|), s the scale; a_i, p_i are the anchor and the positive of
// pair i:
//
//   ranking    mean_i -ln softmax_c(s·cos(a_i, c))[p_i], c over all positives and negatives (in-batch
//              negatives, MultipleNegativesRankingLoss; van den Oord et al. 2018)
//   symmetric  the mean of ranking and of the same for p_i over all anchors
//   cosent     ln(1 + Σ e^(s·(cos_i - cos_j))) over all pairs i, j with label_i < label_j, where cos_i =
//              cos(a_i, p_i)
//   cosine     mean_i (cos_i - label_i)²
//   triplet    mean of max(0, d(a_i, p_i) - d(a_i, n) + margin) over the negatives n of each anchor, with
//              d = 1 - cos, or d = |u - v + 1e-6| for the Euclidean distance
//   margin_mse, kl    see nn/rating_losses.h
//   gist              see nn/guided_loss.h
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "nn/context.h"
#include "nn/tensor.h"

namespace bert::nn {

enum class SimilarityLoss { ranking, symmetric, cosent, cosine, triplet, margin_mse, kl, gist };
struct SimilarityLossName {
  std::string_view name;
  SimilarityLoss loss;
};
inline constexpr SimilarityLossName kSimilarityLosses[] = {
    {"ranking", SimilarityLoss::ranking}, {"symmetric", SimilarityLoss::symmetric},
    {"cosent", SimilarityLoss::cosent},   {"cosine", SimilarityLoss::cosine},
    {"triplet", SimilarityLoss::triplet}, {"margin-mse", SimilarityLoss::margin_mse},
    {"kl", SimilarityLoss::kl},           {"gist", SimilarityLoss::gist}};
// Whether the loss needs the scores of a teacher for each group.
inline bool compares_ratings(SimilarityLoss loss) {
  return loss == SimilarityLoss::margin_mse || loss == SimilarityLoss::kl;
}

// Whether each anchor has to find its positive among candidates of all groups.
inline bool finds_positives(SimilarityLoss loss) {
  return loss == SimilarityLoss::ranking || loss == SimilarityLoss::symmetric || loss == SimilarityLoss::gist;
}

enum class Distance { euclidean, cosine };
enum class Similarity { cosine, dot };

struct SimilarityOptions {
  SimilarityLoss loss = SimilarityLoss::ranking;
  float scale = 20;  // of ranking, symmetric, cosent, gist, and the cosines of margin_mse and kl
  float margin = 5;  // of triplet
  Distance distance = Distance::euclidean;
  Similarity similarity = Similarity::cosine;  // of ranking, margin_mse and kl
  float temperature = 1;                       // of kl
  float guide_margin = 0;                      // of gist
  bool relative_margin = false;                // whether it is a share of the guide's similarity
  // Matryoshka dimensions: the losses of the first d numbers of all vectors are added to that of the whole
  // vectors (Kusupati et al. 2022).
  std::vector<int64_t> dims;
};

// Rows of a matrix of vectors that belong together. Row begin is the anchor, begin + 1 the positive or the
// other text of a scored pair, and the rest up to `end` are negatives.
struct SimilarityGroup {
  int64_t begin = 0, end = 0;
  double label = 0;                // of cosent and cosine
  std::vector<float> scores = {};  // of margin_mse and kl: of each candidate, by a teacher
  std::vector<float> guide = {};   // of gist: the guide's vectors of all texts, one after another

  int64_t anchor() const { return begin; }
  int64_t positive() const { return begin + 1; }
};

struct SimilarityResult {
  double loss = 0;
  int64_t correct = 0;  // if finds_positives: pairs whose positive is the nearest candidate of the anchor
};

// Loss of the vectors [S,W]. Replaces `gradient` [S,W] by the loss's gradient, unless it is nullptr. There
// must be at least one group; for triplet at least one negative.
SimilarityResult similarity_loss(Context& context, const SimilarityOptions& options,
                                 std::span<const SimilarityGroup> groups, const Tensor& vectors,
                                 Tensor* gradient);

// The loss cosent of pairs with these similarities, which need not be cosines.
double cosent(std::span<const SimilarityGroup> groups, std::vector<double> similarities, double scale);

// Of each group's first two vectors.
std::vector<double> similarities(Similarity similarity, std::span<const SimilarityGroup> groups,
                                 const Tensor& vectors);

// For each group, the number of positives and negatives of all groups that are nearer to its anchor than its
// own positive.
std::vector<int64_t> ranks_of_positives(Context& context, Similarity similarity,
                                        std::span<const SimilarityGroup> groups, const Tensor& vectors);

}  // namespace bert::nn
