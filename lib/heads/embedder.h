// Sequences of tokens in, vectors out.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/pool.h"
#include "features/features.h"
#include "heads/batches.h"
#include "heads/embed_plan.h"
#include "model/directory.h"
#include "model/network.h"

namespace bert::heads {

// One sequence and its result: the pooled vector before the modules, or one vector for each token [T, width].
struct EmbeddedSequence {
  features::Features features;
  std::vector<float> values = {};
};

struct ComputeOptions {
  std::optional<Dtype> dtype = Dtype::f32;  // asked for; see nn::arithmetic
  int64_t batch_tokens = 1024;              // tokens in a batch; does not affect the vectors
};

class Embedder {
 public:
  // References must outlive this object. Throws Error if the model does not support the options.
  Embedder(const model::Directory& directory, const VectorOptions& vectors, const ComputeOptions& compute,
           Pool& pool);

  const EmbedPlan& plan() const { return plan_; }
  Dtype dtype() const { return dtype_; }  // of matrix products
  bool makes_token_vectors() const { return plan_.kind() == EmbedPlan::Kind::tokens; }

  void load();  // reads the weights, unless compute() has done so
  // Fills the values of all sequences. The calling thread is the pool's driver.
  void compute(std::span<Windows<EmbeddedSequence>* const> texts);
  // The vector of a text: the mean over its windows before the modules, as if all tokens had been pooled at
  // once. Throws Error, here and below, if a number is not finite.
  std::vector<float> vector(std::span<const EmbeddedSequence> windows) const;
  // The vector of one window.
  std::vector<float> vector(const EmbeddedSequence& window) const { return vector(std::span(&window, 1)); }
  void require_finite(std::span<const float> values) const;

 private:
  void run(const nn::Batch& batch, std::span<EmbeddedSequence* const> sequences);
  void run_pooler(std::span<EmbeddedSequence* const> sequences);
  void take(int64_t row, EmbeddedSequence& sequence) const;

  const model::Directory& directory_;
  const int64_t batch_tokens_;
  const Dtype dtype_;
  Pool& pool_;
  EmbedPlan plan_;
  std::optional<model::Network> network_;
  std::vector<nn::Tensor> states_;  // of the layers that are read, for the batch
};

}  // namespace bert::heads
