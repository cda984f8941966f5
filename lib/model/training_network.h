// A BERT that learns: its parameters and their gradients, and the way forward and back through the encoder
// and the heads of pre-training.
//
//   network.forward(batch, ...); loss = network.masked_lm(...); loss += network.next_sentence(...);
//   network.backward();          // gradients() has the sum; an optimiser changes parameters()
//   network.refresh();
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/pool.h"
#include "ckpt/checkpoint.h"
#include "model/config.h"
#include "nn/batch.h"
#include "nn/context.h"
#include "nn/dropout.h"
#include "nn/losses.h"
#include "nn/params.h"

namespace bert::model {

class TrainingNetwork {
 public:
  // What a task answers by: K numbers for each sequence, from the pooled [CLS], or for each token.
  struct Classifier {
    enum class Over { sequences, tokens };
    std::string name = "classifier";  // "qa_outputs" for answers
    int64_t outputs = 2;              // K
    Over over = Over::sequences;
    float dropout = 0;  // of what it reads
    // Whether its losses compare rows, as nn::place_loss does, or no more than a row's own outputs. What is
    // in all rows alike cancels then: parameters that only add such get no gradient, where sums would leave
    // rounding, of which Adam makes whole steps.
    enum class Compares { outputs, rows };
    Compares compares = Compares::outputs;
  };
  struct Heads {
    bool masked_lm = true;
    bool next = true;
    std::optional<Classifier> classifier;
  };

  // What forward keeps for backward: the activations of every layer, or only each layer's input, from which
  // backward computes the rest once more; nothing for evaluation. The bits do not depend on it.
  enum class Keep { activations, inputs, nothing };

  // Parameters are zero until they are loaded or initialised. The calling thread is the pool's driver.
  // Products of the layers' matrices are of `dtype`, f32 or bf16, which has_bf16() has to allow.
  TrainingNetwork(const Config& config, const Heads& heads, Pool& pool, Dtype dtype = Dtype::f32);
  ~TrainingNetwork();
  TrainingNetwork(TrainingNetwork&&) noexcept;

  const Config& config() const;

  // Before the first forward: the embeddings and the first `layers` encoder layers do not learn (none: all
  // learns). Backward ends above them and their gradients are 0, to the bit; dropout goes on in them. The MLM
  // decoder's matrix is that of the word embeddings, so it does not learn either. Error for more layers than
  // there are.
  void freeze(std::optional<int64_t> layers);

  // One layout, with Hugging Face's names without "bert.".
  nn::Params& parameters();
  nn::Params& gradients();
  void clear_gradients();
  nn::Context& context();  // what losses of its logits are computed with

  // Copies what the checkpoint has; returns the names of parameters it does not have, which stay as they are.
  // Error for a tensor of another shape. What has a name that begins with `except` is not looked for.
  std::vector<std::string> load(const ckpt::Checkpoint& checkpoint, std::string_view except = {});

  // After parameters() have changed, and before the first forward.
  void refresh();

  // Runs the encoder as far as its output at `rows` of the batch's tokens asks for: ascending; what the heads
  // look at must be among them. Without a chance nothing is left out. ids, types and lengths must be within
  // the model's (Error). `batch` stays until backward is done.
  void forward(const nn::Batch& batch, std::span<const int64_t> rows, const nn::Chance* chance, Keep keep);

  // The masked-language-model loss at `rows`, whose true ids are `gold`. With a weight, weight·loss is what
  // backward goes down.
  nn::Loss masked_lm(std::span<const int64_t> rows, std::span<const int32_t> gold,
                     std::optional<float> weight);

  // The next-sentence loss of all sequences: labels 0 (follows) or 1 [B].
  nn::Loss next_sentence(std::span<const int32_t> labels, std::optional<float> weight);

  // The classifier's numbers: [B,K], or those of `rows`, ascending: [R,K]. Valid until the next call. What of
  // a token's vector is left out depends on which of its sequence's `rows` it is.
  nn::Tensor& sequence_logits();
  nn::Tensor& token_logits(std::span<const int64_t> rows);
  // Their gradient, for backward to go down, as a loss leaves it; right after they were asked for.
  void sequence_gradient(const nn::Tensor& dlogits);
  void token_gradient(std::span<const int64_t> rows, const nn::Tensor& dlogits);

  // From the losses of this forward to gradients(), which it adds to.
  void backward();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace bert::model
