// Which tokens of a text were replaced, as a discriminator says it (ELECTRA: Clark et al. 2020, section
// 2; DeBERTa v3: He et al. 2021, section 3).
#include <cmath>
#include <utility>

#include "base/error.h"
#include "heads/scores.h"
#include "json/json.h"
#include "predict/predictor.h"

namespace bert::predict {
namespace {

// A record: its tokens, and where each is read.
struct JudgedTokens : Reading {
  std::vector<int32_t> ids;                  // without special tokens, as a sequence without a limit has them
  std::vector<features::TokenPlace> places;  // of each
};

class Replaced final : public Predictor {
 public:
  Replaced(const TaskOptions& options, const text::Tokenizer& tokenizer)
      : tokenizer_(tokenizer), threshold_(options.threshold), precision_(options.precision) {}

  features::Overflow overflow() const override { return features::Overflow::split; }

  std::unique_ptr<Reading> read(const io::Fields& fields,
                                const features::Featurizer& featurizer) const override {
    auto tokens = std::make_unique<JudgedTokens>();
    tokens->of_ids = featurizer.takes_ids(fields);
    auto windows = featurizer.windows(fields);
    for (const auto place : features::sequence_places(windows)) {
      const int32_t id = windows[place.window].ids[place.position];
      if (id != tokenizer_.unk() && tokenizer_.is_special(id)) continue;
      tokens->ids.push_back(id);
      tokens->places.push_back(place);
    }
    for (features::Features& features : windows) {
      tokens->truncated |= features.truncated;
      tokens->windows.push_back({.features = std::move(features)});
    }
    return tokens;
  }

  void positions(const Window& window, std::vector<int64_t>& positions) const override {
    for (size_t i = 0; i < window.features.ids.size(); ++i) positions.push_back(i);
  }

  void answer(const Reading& reading, io::Added& added) const override {
    const auto& tokens = static_cast<const JudgedTokens&>(reading);
    std::vector<float> scores;
    for (const auto& [window, position] : tokens.places) {
      const auto& logits = tokens.windows[window].rows[position].logits;
      heads::require_finite(logits);
      scores.push_back(heads::sigmoid(logits.front()));
    }
    json::append_array(added.field("prediction"), scores, [&](std::string& out, float score) {
      out += heads::as_written(score) >= threshold_ ? '1' : '0';
    });
    json::append_array(added.field("tokens"), tokens.ids, [&](std::string& out, int32_t id) {
      json::append_string(out, tokenizer_.subword(id));
    });
    json::append_array(added.field("scores"), scores,
                       [&](std::string& out, float score) { json::append_number(out, score, precision_); });
  }

 private:
  const text::Tokenizer& tokenizer_;
  const double threshold_;
  const int precision_;
};

}  // namespace

std::unique_ptr<Predictor> make_replaced(const TaskOptions& options, const model::Config&,
                                         const text::Tokenizer& tokenizer) {
  return std::make_unique<Replaced>(options, tokenizer);
}

}  // namespace bert::predict
