// The vectors of a batch in training: pooled hidden states, projected if the network has a projection.
//
//   x = pooled hidden states     y = act(W·x + b), or act(W·x/|x| + b)     vectors = y, or x without a
//   projection
#pragma once

#include <cstdint>
#include <vector>

#include "model/sentence_transformers.h"
#include "model/training_network.h"
#include "nn/batch.h"
#include "nn/tensor.h"

namespace bert::train {

class SentenceVectors {
 public:
  // What the projection reads: pooled vectors as they are, or scaled to unit length.
  enum class Reads { pooled, unit_length };

  // `network` must outlive this object.
  SentenceVectors(model::TrainingNetwork& network, std::vector<model::PoolingMode> pooling, Reads reads);

  int64_t width() const;  // of a vector
  int64_t pooled_width() const;

  // Runs the network for the hidden states that the pooling reads: all, or the first of each sequence.
  // `batch` must live until backward is done. Returns [S,width], valid until the next call.
  const nn::Tensor& forward(const nn::Batch& batch, const nn::DropoutSeed* dropout_seed,
                            model::TrainingNetwork::Keep keep);
  // Passes the gradient of these vectors [S,width] on to the network.
  void backward(const nn::Tensor& gradient);

  const nn::Tensor& pooled() const { return pooled_; }  // of the last batch, before the projection

 private:
  model::TrainingNetwork& network_;
  const std::vector<model::PoolingMode> pooling_;
  const Reads reads_;
  const nn::Batch* batch_ = nullptr;
  nn::Tensor pooled_, units_, vectors_;
  nn::Tensor dunits_, dpooled_, dhidden_;
};

}  // namespace bert::train
