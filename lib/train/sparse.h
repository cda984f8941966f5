// Training of weights of words (Formal et al. 2021, "SPLADE v2: Sparse lexical and expansion model for
// information retrieval"): w[v] = ln(1 + relu(the largest logit of word v at the text's tokens)), compared by
// dot products.
//
// A regularizer (FLOPS, Paria et al. 2020) makes most weights 0: to the loss it adds, for queries and for
// documents, λ·Σ_v (the mean of w[v] over the texts)².
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/sentence_transformers.h"
#include "train/embed.h"

namespace bert::train {

struct SparseOptions {
  model::SparsePooling pooling = model::SparsePooling::max;  // or max_log
  double document_flops = 3e-5, query_flops = 5e-5;          // λ
};

class SparseLearning final : public EmbedLearning {
 public:
  // The network has the head for masked words.
  SparseLearning(model::TrainingNetwork& network, Options options, const SparseOptions& sparse)
      : EmbedLearning(network, std::move(options)), sparse_(sparse) {}

 protected:
  void forward(Part examples, const nn::DropoutSeed* dropout_seed, Keep keep) override;
  void backward(const nn::Tensor& gradient) override;
  nn::SimilarityResult loss(const nn::SimilarityOptions& options, const Compared& compared,
                            nn::Tensor* gradient) const override;
  std::vector<double> similarities(const Compared& compared) const override;
  std::vector<int64_t> ranks_of_positives(const Compared& compared) const override;
  int64_t compared_width() const override { return network_.config().vocab_size; }

 private:
  bool twice() const { return sparse_.pooling == model::SparsePooling::max_log; }
  void take(int64_t first, const nn::Tensor& logits);
  // Adds λ·FLOPS of these texts.
  double add_flops(double factor, const std::vector<int64_t>& texts, const nn::Tensor& weights,
                   nn::Tensor* gradient) const;

  const SparseOptions sparse_;
  nn::Tensor weights_;             // [S,V]; the largest logits, until all rows were seen
  std::vector<int64_t> rows_;      // [S,V] of the largest logits
  std::vector<int64_t> sequence_;  // of each row
};

}  // namespace bert::train
