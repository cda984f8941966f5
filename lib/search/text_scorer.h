// Scores texts for a query, to order what a search has found.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/pool.h"
#include "model/directory.h"
#include "predict/predict_filter.h"
#include "text/tokenizer.h"

namespace bert::search {

class TextScorer {
 public:
  virtual ~TextScorer() = default;
  // Driver only. Larger is better.
  virtual std::vector<float> scores(std::string_view query, const std::vector<std::string>& texts) = 0;
  virtual void report(Log& log) const = 0;
};

// By a model that reads query and text together (a cross-encoder), or one of late interaction, as the
// directory says. References must outlive the scorer.
std::unique_ptr<TextScorer> make_scorer(const model::Directory& directory, const text::Tokenizer& tokenizer,
                                        const predict::PredictOptions& options, Pool& pool, Log& log);

}  // namespace bert::search
