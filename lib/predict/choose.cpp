// Multiple choice (Devlin et al. 2018, section 4.4): the head gives one logit for each sequence [CLS] text
// [SEP] question choice [SEP], and the softmax is over the choices.
#include <algorithm>

#include "features/choose_sequences.h"
#include "json/json.h"
#include "predict/sentence_head.h"

namespace bert::predict {
namespace {

class Choose final : public Predictor {
 public:
  explicit Choose(const TaskOptions& options) : precision_(options.precision) {}

  model::Needs needs() const override { return {.pooler = true, .choice = true}; }

  std::unique_ptr<Reading> read(const io::Fields& fields,
                                const features::Featurizer& featurizer) const override {
    auto reading = std::make_unique<Reading>();
    reading->of_ids = featurizer.takes_ids(fields);
    for (auto& [features, choice] : features::choose_sequences(featurizer, fields)) {
      reading->truncated |= features.truncated;
      reading->windows.push_back({.features = std::move(features), .choice = choice, .rows = {}});
    }
    return reading;
  }

  std::vector<Row> compute(model::Network& network, Pool&, const nn::Tensor& hidden,
                           std::span<const int32_t>) const override {
    return classifier_rows(network, hidden);
  }

  void answer(const Reading& reading, io::Added& added) const override {
    const auto logits = logits_of_choices(reading.windows);
    json::append_integer(added.field("prediction"), best(logits));
    std::string& scores = added.field("scores");
    scores += '[';
    for (const float score : softmax(logits)) {
      if (scores.back() != '[') scores += ',';
      json::append_number(scores, score, precision_);
    }
    scores += ']';
  }

 private:
  // The windows of a long choice are adjacent.
  static std::vector<float> logits_of_choices(std::span<const Window> windows) {
    std::vector<float> logits;
    while (!windows.empty()) {
      const int32_t choice = windows.front().choice;
      const auto end = std::ranges::find_if(windows, [&](const Window& w) { return w.choice != choice; });
      const auto count = static_cast<size_t>(end - windows.begin());
      logits.push_back(mean_logits(windows.first(count)).front());
      windows = windows.subspan(count);
    }
    return logits;
  }

  int precision_;
};

}  // namespace

std::unique_ptr<Predictor> make_choose(const TaskOptions& options, const model::Config&,
                                       const text::Tokenizer&) {
  return std::make_unique<Choose>(options);
}

}  // namespace bert::predict
