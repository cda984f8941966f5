// Pseudo-perplexity of a text (Salazar et al. 2020, "Masked Language Model Scoring", section 2):
//
//   PLL(text) = Σ_t log P(w_t | the text with [MASK] for w_t)
//   pseudo-perplexity = exp(-PLL / number of w_t)
//
// The w_t are the subword tokens of the text, [UNK] included; special tokens are not masked. With windows,
// each token is masked once, where it has most context.
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "json/json.h"
#include "predict/predictor.h"
#include "predict/subword_logits.h"

namespace bert::predict {
namespace {

class Perplexity final : public Predictor {
 public:
  Perplexity(const TaskOptions& options, const text::Tokenizer& tokenizer)
      : tokenizer_(tokenizer), precision_(options.precision) {}

  model::Needs needs() const override { return {.masked_lm = true}; }

  std::unique_ptr<Reading> read(const io::Fields& fields,
                                const features::Featurizer& featurizer) const override {
    auto reading = Predictor::read(fields, featurizer);
    auto& windows = reading->windows;
    if (windows.size() == 1) {
      mask(windows.front(), windows.front().features.first);
      mask(windows.front(), windows.front().features.second);
    } else {
      const bool first = featurizer.options().cut.strategy == text::Truncation::Strategy::only_first;
      mask_in_windows(windows, windows.front().features.pair && !first);
    }
    return reading;
  }

  bool masks_tokens() const override { return true; }

  std::vector<Row> compute(model::Network& network, Pool& pool, const nn::Tensor& hidden,
                           std::span<const int32_t> subwords) const override {
    std::vector<Row> rows(subwords.size());
    for_each_subword_logits(network, pool, hidden, [&](int64_t r, std::span<const float> logits) {
      Row& row = rows[static_cast<size_t>(r)];
      try {
        row.log_probability = log_probability(logits, subwords[static_cast<size_t>(r)]);
      } catch (const Error& error) {
        row.failure = error.what();
      }
    });
    return rows;
  }

  void answer(const Reading& reading, io::Added& added) const override {
    double sum = 0;
    int64_t count = 0;
    for (const Window& window : reading.windows) {
      for (const Row& row : window.rows) {
        if (!row.failure.empty()) throw Error(row.failure);
        sum += row.log_probability;
        ++count;
      }
    }
    std::string& prediction = added.field("prediction");
    if (count == 0) {
      prediction += "null";
    } else {
      json::append_number(prediction, static_cast<float>(std::exp(-sum / static_cast<double>(count))),
                          precision_);
    }
  }

 private:
  void mask(Window& window, text::Span part) const {
    for (uint32_t i = part.begin; i < part.end; ++i) {
      const int32_t id = window.features.ids[i];
      if (id == tokenizer_.unk() || !tokenizer_.is_special(id)) window.masked.push_back(i);
    }
  }

  // Tokens of the unsplit part are masked in the first window only.
  void mask_in_windows(std::span<Window> windows, bool slides_second) const {
    std::vector<features::Window> spans;
    int64_t count = 0;
    for (const Window& window : windows) {
      const auto part = slides_second ? window.features.second : window.features.first;
      spans.push_back({window.features.window_begin, window.features.window_begin + part.end - part.begin});
      count = std::max(count, spans.back().end);
    }
    const auto owners = features::most_context(spans, count);
    mask(windows.front(), slides_second ? windows.front().features.first : windows.front().features.second);
    for (size_t w = 0; w < windows.size(); ++w) {
      const uint32_t begin = (slides_second ? windows[w].features.second : windows[w].features.first).begin;
      for (int64_t t = spans[w].begin; t < spans[w].end; ++t) {
        if (owners[static_cast<size_t>(t)] != static_cast<int32_t>(w)) continue;
        const uint32_t place = begin + static_cast<uint32_t>(t - spans[w].begin);
        mask(windows[w], {place, place + 1});
      }
    }
  }

  const text::Tokenizer& tokenizer_;
  int precision_;
};

}  // namespace

std::unique_ptr<Predictor> make_perplexity(const TaskOptions& options, const model::Config&,
                                           const text::Tokenizer& tokenizer) {
  return std::make_unique<Perplexity>(options, tokenizer);
}

}  // namespace bert::predict
