// A BERT for training: parameters, gradients, and the forward and backward passes through the encoder and the
// pre-training heads.
//
//   network.forward(batch, ...); loss = network.masked_lm(...); loss += network.next_sentence(...);
//   network.backward();          // gradients() has the sum; an optimizer changes parameters()
//   network.refresh();
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/pool.h"
#include "ckpt/checkpoint.h"
#include "model/config.h"
#include "model/heads.h"
#include "nn/batch.h"
#include "nn/context.h"
#include "nn/dropout.h"
#include "nn/losses.h"
#include "nn/params.h"
#include "nn/relative_bias.h"
#include "nn/tied_decoder.h"

namespace bert::model {

class TrainingNetwork {
 public:
  // What forward keeps for backward: the activations of every layer; only the input of each layer, from which
  // backward recomputes the rest; or nothing, for evaluation. Results are identical, bit for bit.
  enum class Keep { activations, inputs, nothing };

  // Parameters are zero until loaded or initialized. The calling thread must be the pool's driver. `dtype` is
  // the format of the layers' matrix products: f32, or bf16 if has_bf16() is true.
  TrainingNetwork(const Config& config, const Heads& heads, Pool& pool, Dtype dtype = Dtype::f32);
  ~TrainingNetwork();
  TrainingNetwork(TrainingNetwork&&) noexcept;

  const Config& config() const;

  // The generator of Config::generator_heads, or nullptr. It shares parameters() and gradients() with this
  // network, and refresh(). Its backward() calls no `ready`; call it before that of this network.
  TrainingNetwork* generator();

  // Freezes the embeddings, what all layers share, and the first `layers` encoder layers; nullopt freezes
  // nothing. Call it before the first forward. Backward stops above the frozen layers and their gradients are
  // exactly 0; dropout stays active in them. The MLM decoder shares the word embeddings, so it is frozen too.
  // Throws Error if the model has fewer layers. Not for a network with a generator.
  void freeze(std::optional<int64_t> layers);

  // Both have the same layout, with Hugging Face's names without "bert.".
  nn::Params& parameters();
  nn::Params& gradients();
  void clear_gradients();
  nn::Context& context();  // for losses on this network's logits

  // Copies the parameters found in the checkpoint. Returns the names of those that are missing; they keep
  // their values. Throws Error for a tensor of another shape. Names that begin with `except` are skipped. If
  // the generator's are missing, copies the embeddings.
  std::vector<std::string> load(const ckpt::Checkpoint& checkpoint, std::string_view except = {});
  // With EmbeddingSharing::gdes: the embeddings of the generator become those of this network.
  void copy_embeddings();

  // Call this after parameters() have changed and before the first forward.
  void refresh();
  // An optimizer changes parameters() between these calls; the second one also refreshes. With
  // EmbeddingSharing::gdes, this network's embeddings are then their difference from the generator's.
  void begin_update();
  void end_update();

  // Runs the encoder for the output rows `rows` of the batch's tokens, ascending; they must include all rows
  // that the heads read. No dropout if `dropout_seed` is null. Throws Error if an id, token type or length is
  // out of the model's range. `batch` must outlive backward.
  void forward(const nn::Batch& batch, std::span<const int64_t> rows, const nn::DropoutSeed* dropout_seed,
               Keep keep);

  // Instead of forward, for losses that compare layers with those of a teacher. The last layer is computed
  // up to its queries, keys and values, or with the rest. Keeps something for backward.
  enum class Through { projected, output };
  void forward_layers(const nn::Batch& batch, Through through, const nn::DropoutSeed* dropout_seed,
                      Keep keep);
  // Output [M,H] of a layer (0: the embeddings), and queries, keys and values of a layer [M,3·W] from 1, see
  // nn::Attention::project. With Keep::inputs only those of the last layer, with Through::projected. Nothing
  // of frozen layers but the output of the highest one.
  const nn::Tensor& state(int64_t layer) const;
  const nn::Tensor& projected(int64_t layer) const;
  const nn::ByDistance<float>* attention_bias() const;  // of this batch; nullptr if there is none
  // Their gradients for backward; 0 unless these are called.
  nn::Tensor& state_gradient(int64_t layer);
  nn::Tensor& projected_gradient(int64_t layer);
  // With Through::projected: the bias of the last layer's keys has no effect on the loss, so its gradient is
  // 0.
  void ignore_key_bias();

  // Masked-language-model loss at `rows` with the original ids `gold`. With a weight, backward descends
  // weight·loss. `visit` sees the logits of each row, numbered from 0.
  nn::Loss masked_lm(std::span<const int64_t> rows, std::span<const int32_t> gold,
                     std::optional<float> weight, const nn::TiedDecoder::Visit& visit = {});

  // Logits of the words at `rows` by the same head, some rows at a time: visit(first, logits [P,V]).
  using VisitLogits = std::function<void(int64_t first, const nn::Tensor& logits)>;
  void word_logits(std::span<const int64_t> rows, const VisitLogits& visit);
  // Backward descends the loss with this gradient of the last word_logits.
  void word_logits_gradient(const nn::LogitEntries& dlogits);
  // The same where most numbers are not 0: these logits are computed again, and replaced by their gradient.
  using ReplaceLogits = std::function<void(int64_t first, nn::Tensor& logits)>;
  void word_logits_gradient(const ReplaceLogits& replace);

  // Next-sentence loss over all sequences. labels [B]: 0 (follows) or 1 (random).
  nn::Loss next_sentence(std::span<const int32_t> labels, std::optional<float> weight);

  // Logits [R,K] of the head besides masked_lm, at `rows`, ascending; a head of sequences reads
  // pooled_rows(). Valid until the next call. The dropout mask of a token depends on its index among its
  // sequence's `rows`.
  nn::Tensor& logits(std::span<const int64_t> rows);
  // Sets the gradient of these logits for backward, as a loss computes it. Call right after logits().
  void logits_gradient(const nn::Tensor& dlogits);

  // What the heads read, the hidden states of the last layer or a weighted sum of all layers [R,H], at
  // forward's `rows`. Valid until the next forward.
  const nn::Tensor& hidden() const;
  // Sets their gradient [R,H] for backward, for losses that this class does not compute.
  void hidden_gradient(const nn::Tensor& gradient);

  // The projection of pooled vectors x [S,in], see Config::Projection: y = act(x·Wᵀ + b).
  void project(const nn::Tensor& x, nn::Tensor& y);
  // dx [S,in] from dy [S,out], for the last x, which also adds to gradients(). Before backward().
  void project_gradient(const nn::Tensor& x, const nn::Tensor& dy, nn::Tensor& dx);

  // The numbers of Config::query_table, which forward() does not read, and their gradient, to be added to
  // before backward().
  std::span<float> query_table();
  std::span<float> query_table_gradient();

  // Adds the gradients of this forward's losses to gradients(). Calls `ready` with each level of the network
  // (level_of() in model/parts.h) as soon as the gradients of its parameters are complete, from the heads
  // down; not for frozen levels. `gradients` has those of this level.
  using Ready = std::function<void(int64_t level, nn::Params& gradients)>;
  void backward(const Ready& ready = {});

 private:
  void transform(std::span<const int64_t> rows);
  void transform_gradient();
  nn::TiedDecoder::Gradient words_gradient(float weight);

  struct Parts;
  explicit TrainingNetwork(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace bert::model
