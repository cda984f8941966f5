// The filter of bert-embed --sparse: computes a weight for each word of the vocabulary, most of them 0
// (Formal et al. 2021, "SPLADE v2: Sparse lexical and expansion model for information retrieval"):
//
//   weight[v] = max over tokens t of ln(1 + relu(logit[t,v])), or their sum (the first SPLADE)
//
// with the logits of the masked-language-model head.
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
#include "model/directory.h"
#include "model/network.h"
#include "nn/row_means.h"
#include "predict/embed_filter.h"
#include "text/tokenizer.h"

namespace bert::predict {

struct SparseOptions {
  model::SparsePooling pooling = model::SparsePooling::max;
  std::optional<int64_t> most;  // only the words with the largest weights
};

class SparseFilter final : public io::Filter {
 public:
  // References must outlive this object. Uses only the prompt of options.vectors. Throws Error if the model
  // has no head for masked words.
  SparseFilter(const model::Directory& directory, const text::Tokenizer& tokenizer, EmbedOptions options,
               const SparseOptions& sparse, Pool& pool, Log& log);

  void prepare(const io::Fields& fields, io::Record& record) const override;
  int64_t cost(const io::Record& record) const override;
  void compute(std::span<io::Record* const> records) override;
  void finish(io::Record& record, io::Output& out) const override;
  void report_truncated(int64_t records) const override;

 private:
  struct Window;
  struct Prepared;
  void run(const nn::Batch& batch, std::span<Window* const> windows);
  void add(const nn::Tensor& logits, nn::RowRange rows, std::span<float> weights) const;
  void require_finite(std::span<const float> numbers) const;
  void keep(std::span<const float> weights, Window& window) const;

  const model::Directory& directory_;
  EmbedOptions options_;
  SparseOptions sparse_;
  Pool& pool_;
  Log& log_;
  features::Featurizer featurizer_;
  model::Network network_;
};

}  // namespace bert::predict
