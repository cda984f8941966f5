// Classification: the most probable label, and the probabilities of all labels.
#include "json/json.h"
#include "predict/sentence_head.h"

namespace bert::predict {
namespace {

class Classify final : public Predictor {
 public:
  Classify(const TaskOptions& options, const model::Config& config)
      : config_(config), precision_(options.precision) {
    require_labels(config, task::Task::classify, 2);
  }

  model::Needs needs() const override { return {.pooler = true, .classifier = true}; }

  std::vector<Row> compute(model::Network& network, Pool&, const nn::Tensor& hidden,
                           std::span<const int32_t>) const override {
    return classifier_rows(network, hidden);
  }

  void answer(const Reading& reading, io::Added& added) const override {
    const auto logits = mean_logits(reading.windows);
    const auto scores = softmax(logits);
    json::append_string(added.field("prediction"), config_.labels[static_cast<size_t>(best(logits))]);
    append_scores(added.field("scores"), config_.labels, scores, precision_);
  }

 private:
  const model::Config& config_;
  int precision_;
};

}  // namespace

std::unique_ptr<Predictor> make_classify(const TaskOptions& options, const model::Config& config,
                                         const text::Tokenizer&) {
  return std::make_unique<Classify>(options, config);
}

}  // namespace bert::predict
