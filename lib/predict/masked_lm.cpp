// The tasks that use the masked-language-model head (Devlin et al. 2018, section 3.1, task #1). In a causal
// model, the head predicts the token after the one that it reads.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>

#include "base/error.h"
#include "heads/subword_logits.h"
#include "json/json.h"
#include "predict/predictor.h"

namespace bert::predict {
namespace {

// Calls use(row, logits [V], answer) for each row of `hidden` [R,H], see for_each_row, and returns the
// answers. An Error of a row becomes its failure.
std::vector<Row> subword_rows(
    model::Network& network, Pool& pool, const nn::Tensor& hidden,
    const std::function<void(size_t r, std::span<const float> logits, Row& row)>& use) {
  std::vector<Row> rows(hidden.rows());
  heads::for_each_row(network, pool, hidden, [&](size_t r, std::span<const float> logits) {
    try {
      use(r, logits, rows[r]);
    } catch (const heads::NotFinite& error) {
      rows[r].failure = error.what();
    }
  });
  return rows;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

// Predicts subword tokens for each [MASK].
class Fill final : public Predictor {
 public:
  Fill(const TaskOptions& options, const model::Config& config, const text::Tokenizer& tokenizer)
      : causal_(config.causal), tokenizer_(tokenizer), top_k_(options.top_k), precision_(options.precision) {}

  // A text without [MASK] has nothing to predict, so it may have any length: it is not computed.
  std::unique_ptr<Reading> read(const io::Fields& fields,
                                const features::Featurizer& featurizer) const override {
    const auto& options = featurizer.options();
    if (options.overflow != features::Overflow::error)
      return checked(fields, options, Predictor::read(fields, featurizer));
    auto unlimited = options;
    unlimited.max_length = features::kNoLimit;
    features::Features whole = features::Featurizer(tokenizer_, unlimited).features(fields);
    auto reading = std::make_unique<Reading>();
    const bool fits = std::ssize(whole.ids) <= options.max_length;
    if (!fits && !has_mask(whole)) return checked(fields, options, std::move(reading));
    for (features::Features& features : featurizer.windows(std::move(whole)))
      reading->windows.push_back({.features = std::move(features)});
    return checked(fields, options, std::move(reading));
  }

  void report(Log& log) const override {
    const auto mask = std::string(tokenizer_.subword(tokenizer_.mask()));
    const auto texts = [](int64_t count) { return counted(count, "text has", "texts have"); };
    if (misspelt_ > 0)
      log.warn(texts(misspelt_) + " \"" + lower_case(mask) + "\" in lower or mixed case; only " + mask +
               " is predicted");
    if (unmasked_ > 0)
      log.warn(texts(unmasked_) + " no " + mask +
               ", the token that is predicted; bert-train(1) trains a classifier");
  }

  void positions(const Window& window, std::vector<int64_t>& positions) const override {
    const auto& ids = window.features.ids;
    for (size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] == tokenizer_.mask()) positions.push_back(i);
    }
  }

  bool reads_before() const override { return causal_; }

  // Truncation could remove a [MASK], and a [MASK] in two windows would have two answers.
  features::Overflow overflow() const override { return features::Overflow::error; }
  bool takes(features::Overflow overflow) const override { return overflow != features::Overflow::split; }

  std::vector<Row> compute(model::Network& network, Pool& pool, const nn::Tensor& hidden,
                           std::span<const int32_t>) const override {
    // Vocabularies padded for speed have logits without a subword token; these are not candidates.
    return subword_rows(network, pool, hidden, [&](size_t, std::span<const float> logits, Row& row) {
      row.candidates = heads::top_k(logits, top_k_, tokenizer_.size());
    });
  }

  void answer(const Reading& reading, io::Added& added) const override {
    const std::vector<Row> none;
    const std::vector<Row>& rows = reading.windows.empty() ? none : reading.windows.front().rows;
    for (const Row& row : rows) {
      if (!row.failure.empty()) throw heads::NotFinite(row.failure);
    }
    json::append_array(added.field("prediction"), rows, [&](std::string& text, const Row& row) {
      json::append_string(text, tokenizer_.subword(row.candidates.front().id));
    });
    json::append_array(added.field("candidates"), rows, [&](std::string& text, const Row& row) {
      json::append_array(text, row.candidates, [&](std::string& list, const heads::Candidate& candidate) {
        json::Object object(list);
        object.string("token", tokenizer_.subword(candidate.id));
        object.integer("id", candidate.id);
        object.number("score", candidate.score, precision_);
        object.end();
      });
    });
  }

 private:
  bool has_mask(const features::Features& features) const {
    return std::ranges::find(features.ids, tokenizer_.mask()) != features.ids.end();
  }

  std::unique_ptr<Reading> checked(const io::Fields& fields, const features::FeatureOptions& options,
                                   std::unique_ptr<Reading> reading) const {
    if (std::ranges::none_of(reading->windows, [&](const auto& w) { return has_mask(w.features); }))
      note_unmasked(fields, options.text_field);
    for (const Window& window : reading->windows) {
      if (causal_ && !window.features.ids.empty() && window.features.ids.front() == tokenizer_.mask())
        throw Error("the first token is masked, which a causal model cannot predict");
    }
    return reading;
  }

  void note_unmasked(const io::Fields& fields, const std::string& field) const {
    const auto value = fields.json(field);
    const bool is_text = !value || value->kind() == json::Value::Kind::string;
    const auto text = is_text ? fields.text(field) : std::nullopt;
    const std::string mask(tokenizer_.subword(tokenizer_.mask()));
    if (text && text->find(mask) != text->npos) return;  // cut off, which is reported
    ++(text && lower_case(*text).find(lower_case(mask)) != std::string::npos ? misspelt_ : unmasked_);
  }

  const bool causal_;
  const text::Tokenizer& tokenizer_;
  int64_t top_k_;
  int precision_;
  mutable std::atomic<int64_t> unmasked_ = 0, misspelt_ = 0;  // texts without a mask
};

// Pseudo-perplexity of a text (Salazar et al. 2020, "Masked Language Model Scoring", section 2):
//
//   PLL(text) = Σ_t log P(w_t | the text with [MASK] for w_t)
//   pseudo-perplexity = exp(-PLL / number of w_t)
//
// The w_t are the subword tokens of the text, [UNK] included; special tokens are not masked. With windows,
// each token is masked once, where it has most context.
//
// A causal model gives the perplexity itself, from P(w_t | the tokens before it); nothing is masked. With
// windows, each token is predicted where most tokens are before it.
class Perplexity final : public Predictor {
 public:
  Perplexity(const TaskOptions& options, const model::Config& config, const text::Tokenizer& tokenizer)
      : causal_(config.causal), tokenizer_(tokenizer), precision_(options.precision) {}

  std::unique_ptr<Reading> read(const io::Fields& fields,
                                const features::Featurizer& featurizer) const override {
    auto reading = Predictor::read(fields, featurizer);
    auto& windows = reading->windows;
    if (windows.size() == 1) {
      predict(windows.front(), windows.front().features.first);
      predict(windows.front(), windows.front().features.second);
    } else {
      predict_in_windows(windows, windows.front().features.pair);
    }
    return reading;
  }

  bool masks_tokens() const override { return !causal_; }
  bool reads_before() const override { return causal_; }
  void positions(const Window& window, std::vector<int64_t>& positions) const override {
    positions.insert(positions.end(), window.predicted.begin(), window.predicted.end());
  }

  std::vector<Row> compute(model::Network& network, Pool& pool, const nn::Tensor& hidden,
                           std::span<const int32_t> subwords) const override {
    return subword_rows(network, pool, hidden, [&](size_t r, std::span<const float> logits, Row& row) {
      row.log_probability = heads::log_probability(logits, subwords[r]);
    });
  }

  void report(Log& log) const override {
    if (saturated_ > 0)
      log.warn(counted(saturated_, "text has", "texts have") +
               " a perplexity above 3.4028235e+38, the largest 32-bit float, which is written instead");
  }

  std::optional<size_t> row_width() const override { return 1; }
  std::vector<float> numbers(const Reading& reading) const override {
    const auto perplexity = perplexity_of(reading);
    if (!perplexity) throw Error("the text has no tokens, so it has no perplexity");
    return {*perplexity};
  }

  void answer(const Reading& reading, io::Added& added) const override {
    std::string& prediction = added.field("prediction");
    if (const auto perplexity = perplexity_of(reading)) {
      json::append_number(prediction, *perplexity, precision_);
    } else {
      prediction += "null";
    }
  }

 private:
  // nullopt: no token is predicted.
  std::optional<float> perplexity_of(const Reading& reading) const {
    double sum = 0;
    int64_t count = 0;
    for (const Window& window : reading.windows) {
      for (const Row& row : window.rows) {
        if (!row.failure.empty()) throw heads::NotFinite(row.failure);
        sum += row.log_probability;
        ++count;
      }
    }
    if (count == 0) return std::nullopt;
    constexpr float kLargest = std::numeric_limits<float>::max();
    const double perplexity = std::exp(-sum / count);
    if (perplexity <= kLargest) return perplexity;
    ++saturated_;
    return kLargest;
  }

  // A causal model has no prediction of the first token.
  void predict(Window& window, text::Span part) const {
    for (uint32_t i = causal_ ? std::max(part.begin, 1u) : part.begin; i < part.end; ++i) {
      const int32_t id = window.features.ids[i];
      if (id == tokenizer_.unk() || !tokenizer_.is_special(id)) window.predicted.push_back(i);
    }
  }

  // Tokens of the unsplit part are predicted in the first window only.
  void predict_in_windows(std::span<Window> windows, bool slides_second) const {
    std::vector<features::Window> spans;
    int64_t count = 0;
    for (const Window& window : windows) {
      const auto part = slides_second ? window.features.second : window.features.first;
      spans.push_back({window.features.window_begin, window.features.window_begin + part.end - part.begin});
      count = std::max(count, spans.back().end);
    }
    const auto owners =
        features::most_context(spans, count, causal_ ? features::Side::before : features::Side::smaller);
    predict(windows.front(),
            slides_second ? windows.front().features.first : windows.front().features.second);
    for (size_t w = 0; w < windows.size(); ++w) {
      const uint32_t begin = (slides_second ? windows[w].features.second : windows[w].features.first).begin;
      for (int64_t t = spans[w].begin; t < spans[w].end; ++t) {
        if (owners[t] != static_cast<int32_t>(w)) continue;
        const uint32_t place = begin + static_cast<uint32_t>(t - spans[w].begin);
        predict(windows[w], {place, place + 1});
      }
    }
  }

  const bool causal_;
  const text::Tokenizer& tokenizer_;
  int precision_;
  mutable std::atomic<int64_t> saturated_ = 0;
};

}  // namespace

std::unique_ptr<Predictor> make_masked_lm(const TaskOptions& options, const model::Config& config,
                                          const text::Tokenizer& tokenizer) {
  if (options.task == task::Task::fill) return std::make_unique<Fill>(options, config, tokenizer);
  return std::make_unique<Perplexity>(options, config, tokenizer);
}

}  // namespace bert::predict
