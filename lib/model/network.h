// A BERT for inference: the encoder and the heads found in the model files, packed for this machine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/dtype.h"
#include "base/pool.h"
#include "ckpt/checkpoint.h"
#include "model/config.h"
#include "model/directory.h"
#include "model/parts.h"
#include "nn/batch.h"
#include "nn/tensor.h"

namespace bert::model {

// The format of a model's products: `wish`, or integers if its weights are, else see nn::arithmetic.
Dtype arithmetic(const Config& config, std::optional<Dtype> wish);

class Network {
 public:
  // Takes ownership of the checkpoint; the embeddings are used directly from its mapped file, and nothing is
  // read that is not needed, which is at most one head. Throws Error if a required tensor is missing or its
  // shape differs from `config`. `dtype` is the format of the encoder's matrix products, see nn::arithmetic.
  // The calling thread must be the pool's driver.
  Network(const Config& config, ckpt::Checkpoint checkpoint, const Needs& needs, Pool& pool,
          Dtype dtype = Dtype::f32);
  // Opens the network of a model directory.
  Network(const Directory& directory, const Needs& needs, Pool& pool, Dtype dtype = Dtype::f32);
  ~Network();
  Network(Network&&) noexcept;

  const Config& config() const;
  Dtype dtype() const;  // of the encoder's matrix products

  // The end of a message about a result that is not finite: names a tensor with such a number, which is
  // searched for once; "" if there is none. Any thread may call it.
  std::string cause_of_not_finite() const;

  // Hidden states to compute. Layer 0 is the embeddings' output, layers 1..L are the encoder's.
  struct Wanted {
    std::vector<int> layers;                   // ascending, each at most Needs::layers
    std::optional<std::vector<int64_t>> rows;  // only these of the M tokens, ascending; default: all
  };

  // Computes one tensor for each wanted layer: [M,H], or [R,H] for R wanted rows. Layers above the highest
  // one wanted are not computed, and the highest one only at the wanted rows. Throws Error if an id, token
  // type or length is out of the model's range. Each row depends, bit for bit, on its own sequence only. This
  // method and those below use the whole pool; call them from its driver.
  std::vector<nn::Tensor> hidden(const nn::Batch& batch, const Wanted& wanted);
  // The same, in the memory of earlier results.
  void hidden(const nn::Batch& batch, const Wanted& wanted, std::vector<nn::Tensor>& states);

  // Returns the attention weights of these layers, ascending from 1: for each layer and each sequence of T
  // tokens [A,T,T], see nn::Attention::weights. They depend, bit for bit, on the sequence only.
  std::vector<std::vector<std::vector<float>>> attention(const nn::Batch& batch,
                                                         const std::vector<int>& layers);

  // Outputs of layers (0: the embeddings) [M,H], and queries, keys and values [M,3·W]
  // (nn::Attention::project) of layers, as a teacher shows them. Both lists are ascending; `projected` has at
  // least one layer, from 1. Returns the bias of attention of this batch, if there is one.
  struct Trace {
    std::vector<nn::Tensor> states, projected;
  };
  const nn::ByDistance<float>* trace(const nn::Batch& batch, std::span<const int64_t> states,
                                     std::span<const int64_t> projected, Trace& trace);

  // Returns what the head reads at these rows [R,H], ascending: the highest layer of Needs, or the weighted
  // sum of all layers if Config::weighted_layers is set and the head is fine-tuned.
  nn::Tensor head_input(const nn::Batch& batch, std::vector<int64_t> rows);

  nn::Tensor pooled(const nn::Tensor& rows);  // [B,H], those of pooled_rows() in model/parts.h -> [B,H]
  // Output of the head: [R,H] -> [R,K], for a head of sequences from the pooler. [R,V] of masked_lm is large:
  // call it in parts.
  nn::Tensor logits(const nn::Tensor& rows);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace bert::model
