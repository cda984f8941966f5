// Finds the best answer spans of a text from the logits of its windows, like the post-processing in Google's
// run_squad.py (write_predictions).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "features/answer_windows.h"
#include "features/overflow.h"
#include "text/tokenizer.h"

namespace bert::heads {

// Access to a text by code points.
class CodePoints {
 public:
  explicit CodePoints(std::string_view text) {  // valid UTF-8
    begins_.reserve(text.size() + 1);
    for (uint32_t i = 0; i < text.size(); ++i) {
      if ((text[i] & 0xC0) != 0x80) begins_.push_back(i);
    }
    begins_.push_back(text.size());
  }

  text::Span bytes(text::Span code_points) const {
    return {begins_[code_points.begin], begins_[code_points.end]};
  }

 private:
  std::vector<uint32_t> begins_;  // of each code point, and of the end
};

// Head output for one window: [CLS] question [SEP] part of the text [SEP].
struct SpanWindow {
  std::vector<float> starts, ends;  // logits of all its tokens
  int64_t text_begin = 0;           // first token of the text part
  features::Window text;            // the text's tokens in this window
};

struct SpanRule {
  int64_t n_best = 20;      // spans to keep; also starts and ends to try in each window
  int64_t max_length = 30;  // maximum answer length in tokens
  bool with_null = false;   // "no answer" is a candidate, as in SQuAD 2.0
};

// Options of answer, with run_squad.py's defaults.
struct AnswerOptions {
  int64_t stride = 128;                        // tokens from the start of one window to the next
  std::optional<int64_t> max_question_length;  // in tokens; default: 64, at most half a window
  int64_t max_answer_length = 30;              // in tokens
  std::optional<int64_t> n_best;               // answers to list; at least 20 are computed
  std::optional<double> no_answer_threshold;   // if not set, there is always an answer, as in SQuAD 1.1
};

features::AnswerRule window_rule(const AnswerOptions& options, int64_t max_length);
SpanRule span_rule(const AnswerOptions& options);

struct TextSpan {
  text::Span place;       // code points of the text; both 0 for "no answer"
  std::string_view text;  // empty for "no answer"
  double logits = 0;      // sum of start and end logits
  float score = 0;        // probability over the n-best
};

struct BestSpans {
  std::vector<TextSpan> spans;   // best first, distinct texts; with_null appends a missing "no answer"
  std::optional<size_t> answer;  // index of the best span that is an answer
  double null_logits = 0;        // lowest sum of [CLS] start and end logits over all windows
};

// `offsets` of each token are code points of `text`. Result texts are views of `text`. Throws Error if a
// logit is not finite.
BestSpans best_spans(std::span<const SpanWindow> windows, std::string_view text,
                     std::span<const text::Span> offsets, const SpanRule& rule);

// Score of "no answer" minus that of the best answer, which is 0 if there is none, as in run_squad.py.
double null_score_of(const BestSpans& best);

// The best answer, or "no answer" if its score is higher by more than the threshold. Without any answer, a
// span with empty text and score 0.
TextSpan answer_of(const BestSpans& best, std::optional<double> no_answer_threshold);

}  // namespace bert::heads
