// Adam optimizers. With gradient g, learning rate η, weight decay λ (0 for tensors without decay) and step t,
// counted from 1:
//
//   m = β1·m + (1 - β1)·g            v = β2·v + (1 - β2)·g²
//   m^ = m / (1 - β1^t)              v^ = v / (1 - β2^t)
//
//   adamw    p -= η·(m^ / (√v^ + ε) + λ·p)      Loshchilov & Hutter 2019, as PyTorch's AdamW
//   google   p -= η·(m / (√v + ε) + λ·p)        BERT's original optimizer: no bias correction
//   lamb     p -= η·‖p‖/‖r‖·r,  r = m^ / (√v^ + ε) + λ·p      You et al. 2019, algorithm 2, with φ(x) = x
//
// LAMB computes its norms for each tensor. The factor ‖p‖/‖r‖ is 1 if one of them is 0 and, as in the
// authors' code but not in the paper, for tensors without weight decay. Weight decay is decoupled in all
// three methods: it does not affect the moments.
//
// With a layer decay R, η is multiplied by R^d for a tensor d levels below the heads: R^(L - i) for encoder
// layer i of L, from 0, and R^(L + 1) for the embeddings (Howard & Ruder 2018, "Universal language model
// fine-tuning for text classification", section 3.2).
//
// The table of queries (model::kQueryTable), whose numbers are much larger than others, has kQueryTableRate
// times the learning rate, as sentence-transformers advises: 1e-3 beside 2e-5.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "nn/context.h"
#include "nn/params.h"
#include "nn/weights.h"
#include "train/moments.h"
#include "train/slices.h"

namespace bert::train {

constexpr double kQueryTableRate = 50;

enum class Method { adamw, google, lamb };

// With their names, in --help order.
inline constexpr std::pair<std::string_view, Method> kMethods[] = {
    {"adamw", Method::adamw}, {"google", Method::google}, {"lamb", Method::lamb}};
std::string_view name_of(Method method);

struct OptimizerConfig {
  Method method = Method::adamw;
  double beta1 = 0.9, beta2 = 0.999;
  std::optional<double> epsilon;  // >= 1e-12; default 1e-8 for adamw, as in PyTorch, else 1e-6
  double weight_decay = 0.01;     // λ
  double layer_decay = 1;         // R, in (0, 1]
  // Frozen parameters: none, or the embeddings and this many encoder layers above them. They do not change,
  // and their moments are 0.
  std::optional<int64_t> frozen = std::nullopt;
};

// Whether weight decay applies to a tensor. It does not if the name contains LayerNorm, layer_norm or bias,
// or if it is a weight of the sum of layers or the table of queries. The former is Google's rule, used for
// all methods; embeddings are decayed, cls.predictions.bias is not.
bool decays(std::string_view name);

// Gradient clipping by global norm (Pascanu et al. 2013, "On the difficulty of training recurrent neural
// networks").
//
// Σ g² of each slice of slices_of(layout); 0 for slices that are not owned. Empty `owned`: all are owned.
std::vector<double> square_sums(const nn::Params& gradients, nn::Context& context,
                                const std::vector<bool>& owned = {});

// √Σ g² over all gradients, from the sums of all slices. Adds in double precision in a fixed order, so the
// result has the same bits for any number of threads and any instruction set. It cannot overflow: it is
// finite if and only if every gradient is.
double norm_of(std::span<const double> square_sums);

// Factor that scales gradients of this finite norm to a norm of at most `most`: min(1, most / norm), as in
// tf.clip_by_global_norm. PyTorch adds 1e-6 to the norm to avoid a division by zero, which cannot happen
// here, and so clips slightly more. most = 0 turns clipping off.
double clip_factor(double norm, double most);

// Several processes may share the work: each owns some slices, updates only these and keeps only their
// moments.
class Optimizer {
 public:
  // State of the optimizer that checkpoints store.
  struct State {
    Moments moments;    // of the slices that are owned and not frozen
    int64_t steps = 0;  // steps done
  };

  // Completes the sums of all slices of slices_of(layout): replaces those of other owners, which are 0.
  using Complete = std::function<void(std::span<nn::SquareSums>)>;

  // `owned` has an entry for each slice of slices_of(layout); empty: all are owned. The layout must outlive
  // this object.
  Optimizer(const nn::Layout& layout, const OptimizerConfig& config, std::vector<bool> owned = {});

  // One step with g = gradient_scale·gradients; the scale saves a separate pass over memory for clipping. The
  // result has the same bits for any number of threads and owners. LAMB calls `complete` once in each step,
  // because its norms cover whole tensors; it may be empty if all slices are owned.
  void step(nn::Params& params, const nn::Params& gradients, double learning_rate, double gradient_scale,
            nn::Context& context, const Complete& complete = {});

  State& state() { return state_; }
  const State& state() const { return state_; }

 private:
  nn::AdamStep next_step(double gradient_scale) const;
  std::vector<nn::AdamStep> steps_of_tensors(double learning_rate, double gradient_scale) const;
  bool adapts(int tensor) const;
  std::vector<float> trust_ratios(std::span<const nn::SquareSums> sums) const;
  void finish_lamb(nn::Params& params, const std::vector<nn::AdamStep>& steps,
                   std::span<const nn::SquareSums> sums, nn::Context& context) const;

  OptimizerConfig config_;
  std::vector<bool> decays_;          // for each tensor
  std::vector<double> rate_factors_;  // for each tensor
  State state_;
};

}  // namespace bert::train
