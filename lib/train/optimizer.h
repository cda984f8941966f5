// Adam and its kin. With gradient g, learning rate η, decay λ (0 for tensors that are not decayed) and t
// counting steps from 1:
//
//   m = β1·m + (1 - β1)·g            v = β2·v + (1 - β2)·g²
//   m^ = m / (1 - β1^t)              v^ = v / (1 - β2^t)
//
//   adamw    p -= η·(m^ / (√v^ + ε) + λ·p)      Loshchilov & Hutter 2019, as PyTorch's AdamW
//   google   p -= η·(m / (√v + ε) + λ·p)        the optimiser BERT was trained with: no bias correction
//   lamb     p -= η·‖p‖/‖r‖·r,  r = m^ / (√v^ + ε) + λ·p      You et al. 2019, algorithm 2, with φ(x) = x
//
// LAMB's norms are those of one tensor; the factor is 1 where one of them is 0 and, as in its authors'
// program but not in the algorithm, for tensors that are not decayed. Decay is decoupled in all three: it is
// no part of the moments.
//
// With a layer decay R, η is that times R^d for a tensor d levels below the heads: R^(L - i) for encoder
// layer i of L, from 0, and R^(L + 1) for the embeddings (Howard & Ruder 2018, "Universal language model
// fine-tuning for text classification", section 3.2).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/pool.h"
#include "nn/kernels.h"
#include "nn/params.h"
#include "train/pieces.h"

namespace bert::train {

enum class Method { adamw, google, lamb };

struct OptimizerConfig {
  Method method = Method::adamw;
  double beta1 = 0.9, beta2 = 0.999;
  std::optional<double> epsilon;  // at least 1e-12; default 1e-8 for adamw, as PyTorch's, 1e-6 for the others
  double weight_decay = 0.01;     // λ
  double layer_decay = 1;         // R, in (0, 1]
  // What does not learn: nothing, or the embeddings and so many encoder layers above them. It keeps its bits,
  // and its moments stay 0.
  std::optional<int64_t> frozen = std::nullopt;
};

// Whether weight decay holds for a tensor: not when its name has LayerNorm, layer_norm or bias in it.
// Google's rule, for every method; embeddings are decayed, cls.predictions.bias is not.
bool decays(std::string_view name);

class Optimizer {
 public:
  // What a snapshot keeps beside the parameters.
  struct State {
    nn::Params m, v;    // of the parameters' layout
    int64_t steps = 0;  // done
  };

  // The layout outlives this.
  Optimizer(const nn::Layout& layout, const OptimizerConfig& config,
            const nn::Kernels& kernels = nn::kernels());

  // One step with g = gradient_scale·gradients, so that clipping needs no pass over memory. The same bits for
  // any number of threads.
  void step(nn::Params& params, const nn::Params& gradients, double learning_rate, double gradient_scale,
            Pool& pool);

  State& state() { return state_; }
  const State& state() const { return state_; }

 private:
  nn::AdamStep next_step(double gradient_scale) const;
  std::vector<nn::AdamStep> steps_of_tensors(double learning_rate, double gradient_scale) const;
  bool adapts(int tensor) const;
  std::vector<float> trust_ratios(const std::vector<nn::SquareSums>& sums) const;
  void finish_lamb(nn::Params& params, const std::vector<nn::AdamStep>& steps,
                   const std::vector<nn::SquareSums>& sums, Pool& pool) const;

  OptimizerConfig config_;
  const nn::Kernels* kernels_;
  std::vector<Piece> pieces_;         // of what learns
  std::vector<bool> decays_;          // for each tensor
  std::vector<double> rate_factors_;  // likewise
  State state_;
};

}  // namespace bert::train
