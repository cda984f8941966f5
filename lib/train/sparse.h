// Training of weights of words (Formal et al. 2021, "SPLADE v2: Sparse lexical and expansion model for
// information retrieval"): w[v] = max over the text's tokens t of ln(1 + relu(logit[t,v])), or their sum,
// compared by dot products.
//
// A regularizer (FLOPS, Paria et al. 2020) makes most weights 0: to the loss it adds, for queries and for
// documents, λ·Σ_v (the mean of w[v] over the texts)². At the beginning λ rises with the square of the
// progress, so that the loss is learned first, as in SPLADE and sentence-transformers.
//
// Queries may need no network (Geng et al. 2024, "Towards competitive search relevance for inference-free
// learned sparse retrievers"): their tokens have the weights of a table, w[v] = table[v], which are learned,
// too, or frozen.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/sentence_transformers.h"
#include "train/embed.h"

namespace bert::train {

struct SparseOptions {
  model::SparsePooling pooling = model::SparsePooling::max;
  double document_flops = 3e-5, query_flops = 5e-5;  // λ
  double flops_warmup = 0;                           // share of the run after which λ has this value
  bool freezes_queries = false;                      // does not train their table
};

// The part of λ that a step has.
double flops_share(double warmup, const StepPlace& place);

class SparseLearning final : public EmbedLearning {
 public:
  // The network has the head for masked words. With Config::query_table, each example's first text is a
  // query that is looked up.
  SparseLearning(model::TrainingNetwork& network, Options options, const SparseOptions& sparse)
      : EmbedLearning(network, std::move(options)), sparse_(sparse) {}

  metric::Values learn(const examples::Step& step, const StepPlace& place) override;
  metric::Values end_evaluation() override;  // with the whole λ
  double whole_loss(double loss) const override { return loss + left_out_; }
  void end_update() override;  // raises weights of the table to at least 0

 protected:
  void forward(Part examples, const nn::DropoutSeed* dropout_seed, Keep keep) override;
  void backward(const nn::Tensor& gradient) override;
  nn::SimilarityResult loss(const nn::SimilarityOptions& options, const Compared& compared,
                            nn::Tensor* gradient) const override;
  std::vector<double> similarities(const Compared& compared) const override;
  std::vector<int64_t> ranks_of_positives(const Compared& compared) const override;
  int64_t compared_width() const override { return network_.config().vocab_size; }

 private:
  // A text of the batch that is looked up.
  struct Query {
    int64_t row;               // of weights_
    std::vector<int32_t> ids;  // its different tokens
  };

  bool twice() const { return model::is_log(sparse_.pooling); }
  bool adds() const { return model::is_sum(sparse_.pooling); }
  template <class Use>
  void each_logit(int64_t first, int64_t rows, Use use) const;
  void take(int64_t first, const nn::Tensor& logits);
  void backward_sums(const nn::Tensor& gradient);
  void make_batch(Part examples);
  void look_up();
  void add_table_gradient(const nn::Tensor& gradient);
  // λ·FLOPS of these texts; adds the step's share to the gradient.
  double add_flops(double lambda, const std::vector<int64_t>& texts, const nn::Tensor& weights,
                   nn::Tensor* gradient) const;

  const SparseOptions sparse_;
  double flops_share_ = 1;         // of λ, in this step
  mutable double left_out_ = 0;    // of the last loss, by this share
  nn::Tensor weights_;             // [S,V]; without sums the largest logits, until all rows were seen
  std::vector<int64_t> rows_;      // [S,V] of the largest logits
  std::vector<int64_t> sequence_;  // of each row: its place in weights_
  std::vector<uint64_t> numbers_;  // of the batch's sequences in the step
  int64_t texts_ = 0;              // sequences and queries
  std::vector<Query> queries_;     // by row
};

}  // namespace bert::train
