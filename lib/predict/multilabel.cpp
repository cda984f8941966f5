// Multi-label classification: all labels whose own probability reaches the threshold.
#include "json/json.h"
#include "predict/sentence_head.h"

namespace bert::predict {
namespace {

class Multilabel final : public Predictor {
 public:
  Multilabel(const TaskOptions& options, const model::Config& config)
      : config_(config), threshold_(options.threshold), precision_(options.precision) {
    require_labels(config, task::Task::multilabel, 1);
  }

  model::Needs needs() const override { return {.pooler = true, .classifier = true}; }

  std::vector<Row> compute(model::Network& network, Pool&, const nn::Tensor& hidden,
                           std::span<const int32_t>) const override {
    return classifier_rows(network, hidden);
  }

  void answer(const Reading& reading, io::Added& added) const override {
    std::vector<float> scores = mean_logits(reading.windows);
    for (float& score : scores) score = sigmoid(score);
    append_labels(added.field("prediction"), scores);
    append_scores(added.field("scores"), config_.labels, scores, precision_);
  }

 private:
  void append_labels(std::string& out, std::span<const float> scores) const {
    out += '[';
    for (size_t k = 0; k < scores.size(); ++k) {
      if (!(static_cast<double>(scores[k]) >= threshold_)) continue;
      if (out.back() != '[') out += ',';
      json::append_string(out, config_.labels[k]);
    }
    out += ']';
  }

  const model::Config& config_;
  double threshold_;
  int precision_;
};

}  // namespace

std::unique_ptr<Predictor> make_multilabel(const TaskOptions& options, const model::Config& config,
                                           const text::Tokenizer&) {
  return std::make_unique<Multilabel>(options, config);
}

}  // namespace bert::predict
