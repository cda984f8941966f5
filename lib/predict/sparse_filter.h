// The filter of bert-embed --sparse: computes a weight for each word of the vocabulary, most of them 0
// (Formal et al. 2021, "SPLADE v2: Sparse lexical and expansion model for information retrieval"):
//
//   weight[v] = max over tokens t of ln(1 + relu(logit[t,v])), or their sum (the first SPLADE)
//
// with the logits of the masked-language-model head. Queries of some models need no network: their tokens
// have the weights of a table, see model/query_table.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/pool.h"
#include "features/features.h"
#include "io/filter.h"
#include "io/sparse_weights.h"
#include "model/directory.h"
#include "model/network.h"
#include "model/query_table.h"
#include "nn/row_means.h"
#include "predict/embed_filter.h"
#include "text/tokenizer.h"

namespace bert::predict {

struct SparseOptions {
  std::optional<model::SparsePooling> pooling = {};  // nullopt: the model's, and its table for queries
  std::optional<int64_t> most = {};                  // only the words with the largest weights
};

class SparseFilter final : public io::Filter {
 public:
  // References must outlive this object. Uses only the prompt of options.vectors. Throws Error if the model
  // has no head for masked words, or does not say how to make weights.
  SparseFilter(const model::Directory& directory, const text::Tokenizer& tokenizer, EmbedOptions options,
               const SparseOptions& sparse, Pool& pool, Log& log);

  // The text of a record, to be weighed by compute() whatever else is done with the record.
  std::unique_ptr<io::Work> read(const io::Fields& fields) const;
  int64_t cost_of(const io::Work& text) const;  // see io::Filter
  void compute(std::span<io::Work* const> texts);
  std::vector<io::TokenWeight> weights(const io::Work& text) const;  // the largest first, none of them 0
  void append(const io::Work& text, io::Added& added) const;         // these and their model
  bool truncated(const io::Work& text) const;
  // What the weights are computed with, the text of a heads::VectorModel without a prompt. Queries of a table
  // have that of the texts they are compared with.
  const std::string& weights_model() const { return weights_model_; }

  void prepare(const io::Fields& fields, io::Record& record) const override { record.work = read(fields); }
  int64_t cost(const io::Record& record) const override { return cost_of(*record.work); }
  void compute(std::span<io::Record* const> records) override;
  void finish(io::Record& record, io::Output& out) const override;
  void report_truncated(int64_t records) const override;

 private:
  struct Window;
  struct Prepared;
  bool is_query() const;
  features::FeatureOptions feature_options() const;
  heads::VectorModel model_of_weights(const text::Tokenizer& tokenizer) const;
  std::unique_ptr<model::Network> open_network() const;
  void run(const nn::Batch& batch, std::span<Window* const> windows);
  void add(const nn::Tensor& logits, nn::RowRange rows, std::span<float> weights) const;
  void require_finite(std::span<const float> numbers) const;
  void keep(std::span<const float> weights, Window& window) const;
  void look_up(Window& window) const;
  void keep_largest(Window& window) const;

  const model::Directory& directory_;
  EmbedOptions options_;
  SparseOptions sparse_;
  Pool& pool_;
  Log& log_;
  std::optional<model::QueryTable> table_;   // for queries, or else
  std::unique_ptr<model::Network> network_;  // for texts
  features::Featurizer featurizer_;
  std::string weights_model_;
};

}  // namespace bert::predict
