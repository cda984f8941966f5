// Scores the records that a search has found by another model, see TextScorer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/pool.h"
#include "model/directory.h"
#include "predict/predict_filter.h"
#include "search/index.h"
#include "search/text_scorer.h"
#include "search/word_search.h"
#include "text/tokenizer.h"

namespace bert::search {

struct RerankOptions {
  std::function<model::Directory()> open_model;
  predict::PredictOptions predict;  // of a cross-encoder; the task is rank
  int64_t candidates = 100;         // records to score
};

class Reranker {
 public:
  // References must outlive this object. Throws Error if the index has no records.
  Reranker(const RerankOptions& options, const Index& index, const std::string& text_field, Pool& pool,
           Log& log);

  // Of the records in these rows of the index.
  std::vector<float> scores(std::string_view query, std::span<const int64_t> rows);
  // Orders the hits by new scores, equal ones by row; the score they had becomes Hit::before.
  void rerank(std::string_view query, std::vector<Hit>& hits);
  void report(Log& log) const { scorer_->report(log); }

 private:
  const IndexedRecords& records_;
  const std::string text_field_;
  const model::Directory directory_;
  const text::Tokenizer tokenizer_;
  const std::unique_ptr<TextScorer> scorer_;
};

}  // namespace bert::search
