// Compares a query with texts by late interaction, see model::LateInteraction.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/pool.h"
#include "features/features.h"
#include "heads/embedder.h"
#include "heads/late_texts.h"
#include "model/directory.h"
#include "text/tokenizer.h"

namespace bert::heads {

class LateScorer {
 public:
  // References must outlive this object. Throws Error if the network cannot read queries.
  LateScorer(const model::Directory& directory, const text::Tokenizer& tokenizer,
             const ComputeOptions& compute, Pool& pool, Log& log);

  // MaxSim of the query and each text, or its mean over the query's vectors, if the model says so. Driver
  // only.
  std::vector<float> scores(std::string_view query, const std::vector<std::string>& texts);
  void report(Log& log) const;  // truncated texts

 private:
  using Text = Windows<EmbeddedSequence>;
  struct Reader {
    Reader(const model::Directory& directory, const text::Tokenizer& tokenizer, Side side);
    LateTexts texts;
    features::Featurizer featurizer;
    int64_t truncated = 0;
  };

  features::Features read(Reader& reader, std::string_view text) const;
  std::vector<float> vectors_of(const Reader& reader, const Text& text) const;

  const model::Directory& directory_;
  Embedder embedder_;
  Reader queries_, documents_;
};

}  // namespace bert::heads
