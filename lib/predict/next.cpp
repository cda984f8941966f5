// Next sentence prediction: whether the second text of a pair follows the first (Devlin et al. 2018, section
// 3.1, task #2).
#include <algorithm>
#include <array>

#include "base/error.h"
#include "json/json.h"
#include "predict/sentence_head.h"

namespace bert::predict {
namespace {

const std::array<std::string, 2> kAnswers = {"is_next", "not_next"};  // by the head's id

class Next final : public Predictor {
 public:
  explicit Next(const TaskOptions& options) : precision_(options.precision) {}

  model::Needs needs() const override { return {.pooler = true, .next = true}; }

  std::unique_ptr<Reading> read(const io::Fields& fields,
                                const features::Featurizer& featurizer) const override {
    auto reading = Predictor::read(fields, featurizer);
    const features::Features& features = reading->windows.front().features;
    const bool second = std::find(features.types.begin(), features.types.end(), 1) != features.types.end();
    if (!features.pair && !second) throw Error("the record has no second text; --task next requires a pair");
    return reading;
  }

  std::vector<Row> compute(model::Network& network, Pool&, const nn::Tensor& hidden,
                           std::span<const int32_t>) const override {
    return logit_rows(network.next_logits(network.pooled(hidden)));
  }

  void answer(const Reading& reading, io::Added& added) const override {
    const auto logits = mean_logits(reading.windows);
    const auto scores = softmax(logits);
    json::append_string(added.field("prediction"), kAnswers[static_cast<size_t>(best(logits))]);
    append_scores(added.field("scores"), kAnswers, scores, precision_);
  }

 private:
  int precision_;
};

}  // namespace

std::unique_ptr<Predictor> make_next(const TaskOptions& options, const model::Config&,
                                     const text::Tokenizer&) {
  return std::make_unique<Next>(options);
}

}  // namespace bert::predict
