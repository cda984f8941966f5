// Regression: the logit of a model with one label.
#include "json/json.h"
#include "predict/sentence_head.h"

namespace bert::predict {
namespace {

class Regress final : public Predictor {
 public:
  Regress(const TaskOptions& options, const model::Config& config) : precision_(options.precision) {
    require_one_label(config, task::Task::regress);
  }

  model::Needs needs() const override { return {.pooler = true, .classifier = true}; }

  std::vector<Row> compute(model::Network& network, Pool&, const nn::Tensor& hidden,
                           std::span<const int32_t>) const override {
    return classifier_rows(network, hidden);
  }

  void answer(const Reading& reading, io::Added& added) const override {
    json::append_number(added.field("prediction"), mean_logits(reading.windows).front(), precision_);
  }

 private:
  int precision_;
};

}  // namespace

std::unique_ptr<Predictor> make_regress(const TaskOptions& options, const model::Config& config,
                                        const text::Tokenizer&) {
  return std::make_unique<Regress>(options, config);
}

}  // namespace bert::predict
