// From the logits of many windows to the best spans of a text: the post-processing of Google's run_squad.py
// (write_predictions).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "data/overflow.h"
#include "text/tokenizer.h"

namespace bert::task {

// What the head gave for one window: [CLS] question [SEP] part of the text [SEP].
struct SpanWindow {
  std::vector<float> starts, ends;  // logits of all its tokens
  int64_t text_begin = 0;           // the token at which the text's part begins
  data::Window text;                // the text's tokens in it
};

struct SpanRule {
  int64_t n_best = 20;      // spans kept, and starts and ends tried in each window
  int64_t max_length = 30;  // tokens of an answer
  bool with_null = false;   // "no answer" is one of the candidates, as in SQuAD 2.0
};

struct TextSpan {
  text::Span place;       // code points of the text; both 0 for "no answer"
  std::string_view text;  // empty for "no answer"
  double logits = 0;      // of its start and its end together
  float score = 0;        // probability over the n-best
};

struct BestSpans {
  std::vector<TextSpan> spans;   // best first, texts distinct; "no answer" added at the end where it is due
  std::optional<size_t> answer;  // the best that is an answer
  double null_logits = 0;        // of [CLS] as start and end together, the lowest of all windows
};

// `offsets`: of each token of the text, in code points. Texts are views of `text`. Error when a logit is not
// finite.
BestSpans best_spans(std::span<const SpanWindow> windows, std::string_view text,
                     std::span<const text::Span> offsets, const SpanRule& rule);

// How much better "no answer" is than the best answer; where there is none that has 0, as in run_squad.py.
double null_score_of(const BestSpans& best);

// The best answer, or "no answer" where that is better by more than the threshold. Where nothing is an
// answer, a span without text and score.
TextSpan answer_of(const BestSpans& best, std::optional<double> no_answer_threshold);

}  // namespace bert::task
