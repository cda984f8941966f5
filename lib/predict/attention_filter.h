// The filter of bert-embed --attention: computes the attention weights between the tokens of each record.
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
#include "predict/embed_filter.h"
#include "text/tokenizer.h"

namespace bert::predict {

class AttentionFilter final : public io::Filter {
 public:
  // References must outlive this object. Uses only layers and prompt of options.vectors. Throws Error if a
  // layer is not in the model or has no attention.
  AttentionFilter(const model::Directory& directory, const text::Tokenizer& tokenizer, EmbedOptions options,
                  Pool& pool, Log& log);

  void prepare(const io::Fields& fields, io::Record& record) const override;
  int64_t cost(const io::Record& record) const override;
  void compute(std::span<io::Record* const> records) override;
  void finish(io::Record& record, io::Output& out) const override;
  void report_truncated(int64_t records) const override;

 private:
  struct Window;
  struct Prepared;
  std::span<const float> weights_of(const Window& window, int layer) const;
  void append_layer(std::string& out, size_t tokens, std::span<const float> weights) const;
  void append_tables(std::string& out, const Window& window) const;

  const model::Directory& directory_;
  EmbedOptions options_;
  Log& log_;
  std::vector<int> layers_;  // in the order of the output, from 1
  std::vector<int> wanted_;  // the same, ascending and distinct
  features::Featurizer featurizer_;
  model::Network network_;
};

}  // namespace bert::predict
