// Relevance of a passage to a query: the score of a cross-encoder, which reads both as a pair.
#include "json/json.h"
#include "predict/sentence_head.h"

namespace bert::predict {
namespace {

class Rank final : public Predictor {
 public:
  Rank(const TaskOptions& options, const model::Config& config)
      // As in sentence-transformers: sigmoid for a single logit, unless the directory specifies otherwise.
      : activation_(config.score_activation.value_or(model::ScoreActivation::sigmoid)),
        precision_(options.precision) {
    require_one_label(config, task::Task::rank);
  }

  model::Needs needs() const override { return {.pooler = true, .classifier = true}; }

  std::vector<Row> compute(model::Network& network, Pool&, const nn::Tensor& hidden,
                           std::span<const int32_t>) const override {
    return classifier_rows(network, hidden);
  }

  void answer(const Reading& reading, io::Added& added) const override {
    const float logit = mean_logits(reading.windows).front();
    const float score = activation_ == model::ScoreActivation::sigmoid ? sigmoid(logit) : logit;
    json::append_number(added.field("prediction"), score, precision_);
  }

 private:
  model::ScoreActivation activation_;
  int precision_;
};

}  // namespace

std::unique_ptr<Predictor> make_rank(const TaskOptions& options, const model::Config& config,
                                     const text::Tokenizer&) {
  return std::make_unique<Rank>(options, config);
}

}  // namespace bert::predict
