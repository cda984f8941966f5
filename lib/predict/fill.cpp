// Predicts subword tokens for each [MASK] (Devlin et al. 2018, section 3.1, task #1).
#include <algorithm>

#include "base/error.h"
#include "json/json.h"
#include "predict/predictor.h"
#include "predict/subword_logits.h"

namespace bert::predict {
namespace {

class Fill final : public Predictor {
 public:
  Fill(const TaskOptions& options, const text::Tokenizer& tokenizer)
      : tokenizer_(tokenizer), top_k_(options.top_k), precision_(options.precision) {}

  model::Needs needs() const override { return {.masked_lm = true}; }

  // A text without [MASK] has nothing to predict, so it may have any length: it is not computed.
  std::unique_ptr<Reading> read(const io::Fields& fields,
                                const features::Featurizer& featurizer) const override {
    const auto& options = featurizer.options();
    if (options.overflow != features::Overflow::error) return Predictor::read(fields, featurizer);
    auto unlimited = options;
    unlimited.max_length.reset();
    features::Features whole = features::Featurizer(tokenizer_, unlimited).features(fields);
    auto reading = std::make_unique<Reading>();
    const bool fits = std::ssize(whole.ids) <= *options.max_length;
    if (!fits && std::ranges::find(whole.ids, tokenizer_.mask()) == whole.ids.end()) return reading;
    for (features::Features& features : featurizer.windows(std::move(whole)))
      reading->windows.push_back({.features = std::move(features)});
    return reading;
  }

  void positions(const features::Features& features, std::vector<int64_t>& positions) const override {
    for (size_t i = 0; i < features.ids.size(); ++i) {
      if (features.ids[i] == tokenizer_.mask()) positions.push_back(static_cast<int64_t>(i));
    }
  }

  // Truncation could remove a [MASK], and a [MASK] in two windows would have two answers.
  features::Overflow overflow() const override { return features::Overflow::error; }
  bool takes(features::Overflow overflow) const override { return overflow != features::Overflow::split; }

  std::vector<Row> compute(model::Network& network, Pool& pool, const nn::Tensor& hidden,
                           std::span<const int32_t>) const override {
    std::vector<Row> rows(static_cast<size_t>(hidden.rows()));
    for_each_subword_logits(network, pool, hidden, [&](int64_t r, std::span<const float> logits) {
      rows[static_cast<size_t>(r)] = candidates(logits);
    });
    return rows;
  }

  void answer(const Reading& reading, io::Added& added) const override {
    const std::vector<Row> none;
    const std::vector<Row>& rows = reading.windows.empty() ? none : reading.windows.front().rows;
    for (const Row& row : rows) {
      if (!row.failure.empty()) throw Error(row.failure);
    }
    std::string& prediction = added.field("prediction");
    prediction += '[';
    for (const Row& row : rows) {
      if (&row != rows.data()) prediction += ',';
      json::append_string(prediction, tokenizer_.subword(row.candidates.front().id));
    }
    prediction += ']';
    std::string& all = added.field("candidates");
    all += '[';
    for (const Row& row : rows) {
      if (&row != rows.data()) all += ',';
      append_candidates(all, row.candidates);
    }
    all += ']';
  }

 private:
  // Vocabularies padded for speed have logits without a subword token; these are not candidates.
  Row candidates(std::span<const float> logits) const {
    try {
      return {.candidates = top_k(logits, top_k_, tokenizer_.size())};
    } catch (const Error& error) {
      return {.failure = error.what()};
    }
  }

  void append_candidates(std::string& out, std::span<const Candidate> candidates) const {
    out += '[';
    for (const Candidate& candidate : candidates) {
      if (out.back() != '[') out += ',';
      out += "{\"token\":";
      json::append_string(out, tokenizer_.subword(candidate.id));
      out += ",\"id\":";
      json::append_integer(out, candidate.id);
      out += ",\"score\":";
      json::append_number(out, candidate.score, precision_);
      out += '}';
    }
    out += ']';
  }

  const text::Tokenizer& tokenizer_;
  int64_t top_k_;
  int precision_;
};

}  // namespace

std::unique_ptr<Predictor> make_fill(const TaskOptions& options, const model::Config&,
                                     const text::Tokenizer& tokenizer) {
  return std::make_unique<Fill>(options, tokenizer);
}

}  // namespace bert::predict
