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
#include <vector>

#include "base/pool.h"
#include "ckpt/checkpoint.h"
#include "model/config.h"
#include "nn/batch.h"
#include "nn/dropout.h"
#include "nn/params.h"
#include "nn/softmax_loss.h"

namespace bert::model {

class TrainingNetwork {
 public:
  struct Heads {
    bool masked_lm = true;
    bool next = true;  // with the pooler
  };

  // What forward keeps for backward: the activations of every layer, or only each layer's input, from which
  // backward computes the rest once more; nothing for evaluation. The bits do not depend on it.
  enum class Keep { activations, inputs, nothing };

  // Parameters are zero until they are loaded or initialised. The calling thread is the pool's driver.
  TrainingNetwork(const Config& config, const Heads& heads, Pool& pool);
  ~TrainingNetwork();
  TrainingNetwork(TrainingNetwork&&) noexcept;

  const Config& config() const;

  // One layout, with Hugging Face's names without "bert.".
  nn::Params& parameters();
  nn::Params& gradients();
  void clear_gradients();

  // Copies what the checkpoint has; returns the names of parameters it does not have, which stay as they are.
  // Error for a tensor of another shape.
  std::vector<std::string> load(const ckpt::Checkpoint& checkpoint);

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

  // From the losses of this forward to gradients(), which it adds to.
  void backward();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace bert::model
