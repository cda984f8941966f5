// A BERT ready to compute: the encoder and the heads its files hold, packed for this machine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/pool.h"
#include "ckpt/checkpoint.h"
#include "model/config.h"
#include "model/directory.h"
#include "nn/batch.h"
#include "nn/tensor.h"

namespace bert::model {

// What a tool is going to ask for; nothing else is read from the files.
struct Needs {
  int layers = -1;          // encoder layers 1..layers; -1: all
  bool pooler = false;      // tanh(dense([CLS])), what the sentence heads read
  bool masked_lm = false;   // cls.predictions
  bool next = false;        // cls.seq_relationship
  bool classifier = false;  // classifier.weight [K,H] on the pooled output, or on tokens
  bool choice = false;      // the same with K = 1, the score of a choice
  bool span = false;        // qa_outputs.weight [2,H] on tokens
};

class Network {
 public:
  // Owns the checkpoint, in whose mapped file the embeddings stay. Error when a tensor that is needed is
  // missing or has another shape than `config` says. The encoder multiplies `dtype`, see nn::arithmetic. The
  // calling thread is the pool's driver.
  Network(const Config& config, ckpt::Checkpoint checkpoint, const Needs& needs, Pool& pool,
          Dtype dtype = Dtype::f32);
  // The network in a model directory.
  Network(const Directory& directory, const Needs& needs, Pool& pool, Dtype dtype = Dtype::f32);
  ~Network();
  Network(Network&&) noexcept;

  const Config& config() const;

  // Hidden states to compute. Layer 0 is the embeddings' output, 1..L the encoder's.
  struct Wanted {
    std::vector<int> layers;                   // ascending, each at most Needs::layers
    std::optional<std::vector<int64_t>> rows;  // only these of the M tokens, ascending; without it all
  };

  // One tensor a layer wanted: [M,H], or [rows,H]. Only what they need is computed: no layer above the
  // highest, and of that one only the rows. ids and types must be within the vocabulary and the types,
  // lengths within the positions (Error). Each row depends on its own sequence only, to the last bit. All of
  // these use the whole pool and are called by its driver.
  std::vector<nn::Tensor> hidden(const nn::Batch& batch, const Wanted& wanted);

  nn::Tensor pooled(const nn::Tensor& cls_rows);        // [B,H] of [CLS] -> [B,H]
  nn::Tensor next_logits(const nn::Tensor& pooled);     // [B,H] -> [B,2]: 0 is next, 1 random
  nn::Tensor class_logits(const nn::Tensor& pooled);    // [B,H] -> [B,K]; the same on token rows
  nn::Tensor span_logits(const nn::Tensor& rows);       // [R,H] -> [R,2]: of an answer's start, of its end
  nn::Tensor masked_lm_logits(const nn::Tensor& rows);  // [R,H] -> [R,V]; R·V numbers: call it in parts

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace bert::model
