// Losses of rankers, as sentence-transformers defines them for cross-encoders: x_k are the logits of a text's
// candidates k, y_k the numbers that they are to learn, labels or the scores of a teacher.
//
//   binary      the mean, over all candidates, of the binary cross-entropy of x_k and the label y_k
//   mse         the mean, over all candidates, of (x_k - y_k)²
//   softmax     the mean, over all lists, of -Σ p_k ln softmax(x)_k, where p = y / Σ y (Gao et al. 2021)
//   listnet     the same with p = softmax(y) (ListNet, Cao et al. 2007)
//   lambda      the mean, over all pairs of a list with y_i > y_j, of -w log2 sigmoid(x_i - x_j), where w
//               depends on the places of both (LambdaLoss with NDCG-Loss2++, Wang et al. 2018)
//   margin-mse, kl    see nn/rating_losses.h
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "nn/rating_losses.h"

namespace bert::nn {

enum class RankLoss { binary, mse, softmax, listnet, lambda, margin_mse, kl };
struct RankLossName {
  std::string_view name;
  RankLoss loss;
  bool compares = true;                        // the candidates of a list; otherwise each is learned alone
  bool taught = false;                         // learns the scores of a teacher, otherwise labels
  float least = -HUGE_VALF, most = HUGE_VALF;  // of labels
};
inline constexpr RankLossName kRankLosses[] = {
    {.name = "binary", .loss = RankLoss::binary, .compares = false, .least = 0, .most = 1},
    {.name = "mse", .loss = RankLoss::mse, .compares = false, .taught = true},
    {.name = "softmax", .loss = RankLoss::softmax, .least = 0},
    {.name = "listnet", .loss = RankLoss::listnet},
    {.name = "lambda", .loss = RankLoss::lambda, .most = 1000},  // 2^label fits a double
    {.name = "margin-mse", .loss = RankLoss::margin_mse, .taught = true},
    {.name = "kl", .loss = RankLoss::kl, .taught = true},
};
inline const RankLossName& entry(RankLoss loss) { return kRankLosses[static_cast<size_t>(loss)]; }

// Number of terms that a list adds to the mean; 0: nothing can be learned from it, such as from labels that
// the loss does not permit.
int64_t rank_count(RankLoss loss, std::span<const float> y);
// The sum of these losses, and its gradient. `temperature`: of kl.
Rated rank_loss(RankLoss loss, std::span<const double> x, std::span<const float> y, double temperature);

}  // namespace bert::nn
