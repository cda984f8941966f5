#include "search/text_scorer.h"

#include "base/error.h"
#include "heads/late_scorer.h"

namespace bert::search {
namespace {

class CrossEncoder final : public TextScorer {
 public:
  CrossEncoder(const model::Directory& directory, const text::Tokenizer& tokenizer,
               const predict::PredictOptions& options, Pool& pool, Log& log)
      : model_(directory, tokenizer, options, pool, log) {}

  std::vector<float> scores(std::string_view query, const std::vector<std::string>& texts) override {
    std::vector<predict::PredictFilter::Pair> pairs;
    for (const auto& text : texts) pairs.emplace_back(query, text);
    return model_.rank(pairs);
  }

  void report(Log& log) const override {
    if (const auto pairs = model_.truncated_pairs(); pairs > 0)
      log.warn(counted(pairs, "pair of query and text was", "pairs of query and text were") +
               " truncated to " + std::to_string(model_.max_length()) + " tokens");
  }

 private:
  predict::PredictFilter model_;
};

class LateInteraction final : public TextScorer {
 public:
  LateInteraction(const model::Directory& directory, const text::Tokenizer& tokenizer,
                  const predict::PredictOptions& options, Pool& pool, Log& log)
      : scorer_(directory, tokenizer, {.dtype = options.dtype, .batch_tokens = options.batch_tokens}, pool,
                log) {}

  std::vector<float> scores(std::string_view query, const std::vector<std::string>& texts) override {
    return scorer_.scores(query, texts);
  }
  void report(Log& log) const override { scorer_.report(log); }

 private:
  heads::LateScorer scorer_;
};

}  // namespace

std::unique_ptr<TextScorer> make_scorer(const model::Directory& directory, const text::Tokenizer& tokenizer,
                                        const predict::PredictOptions& options, Pool& pool, Log& log) {
  if (directory.sentence.late)
    return std::make_unique<LateInteraction>(directory, tokenizer, options, pool, log);
  return std::make_unique<CrossEncoder>(directory, tokenizer, options, pool, log);
}

}  // namespace bert::search
