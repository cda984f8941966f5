#include "heads/spans.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "heads/scores.h"

namespace bert::heads {
namespace {

struct TokenSpan {
  size_t begin = 0, end = 0;  // tokens of the text, `end` included
  double logits = 0;
  bool null = false;
};

// Indexes of the `count` highest logits, best first; on ties the lower index first.
std::vector<int64_t> highest(std::span<const float> logits, int64_t count) {
  std::vector<int64_t> places(logits.size());
  std::iota(places.begin(), places.end(), 0);
  const auto kept = std::min<int64_t>(count, places.size());
  std::partial_sort(places.begin(), places.begin() + kept, places.end(), [&](int64_t a, int64_t b) {
    const float x = logits[a], y = logits[b];
    return x != y ? x > y : a < b;
  });
  places.resize(kept);
  return places;
}

double sum(const SpanWindow& window, int64_t start, int64_t end) {
  return window.starts[start] + static_cast<double>(window.ends[end]);
}

// Takes a span from the window in which its first token has most context.
void add_candidates(const SpanWindow& window, int32_t number, std::span<const int32_t> owners,
                    const SpanRule& rule, std::vector<TokenSpan>& candidates) {
  const int64_t shift = window.text.begin - window.text_begin;  // converts window indexes to text indexes
  const int64_t text_end = window.text_begin + window.text.end - window.text.begin;
  const auto ends = highest(window.ends, rule.n_best);
  for (const int64_t start : highest(window.starts, rule.n_best)) {
    if (start < window.text_begin || start >= text_end) continue;
    if (owners[start + shift] != number) continue;
    for (const int64_t end : ends) {
      if (end < start || end >= text_end || end - start + 1 > rule.max_length) continue;
      candidates.push_back({.begin = static_cast<size_t>(start + shift),
                            .end = static_cast<size_t>(end + shift),
                            .logits = sum(window, start, end)});
    }
  }
}

void set_scores(std::vector<TextSpan>& spans) {
  double high = -std::numeric_limits<double>::infinity(), total = 0;
  for (const TextSpan& span : spans) high = std::max(high, span.logits);
  for (const TextSpan& span : spans) total += std::exp(span.logits - high);
  for (TextSpan& span : spans) span.score = static_cast<float>(std::exp(span.logits - high) / total);
}

}  // namespace

features::AnswerRule window_rule(const AnswerOptions& options, int64_t max_length) {
  return {
      .max_length = max_length, .stride = options.stride, .max_question_length = options.max_question_length};
}

SpanRule span_rule(const AnswerOptions& options) {
  constexpr int64_t kUsualNBest = 20;
  return {.n_best = std::max(options.n_best.value_or(0), kUsualNBest),
          .max_length = options.max_answer_length,
          .with_null = options.no_answer_threshold.has_value()};
}

BestSpans best_spans(std::span<const SpanWindow> windows, std::string_view text,
                     std::span<const text::Span> offsets, const SpanRule& rule) {
  std::vector<features::Window> places;
  for (const SpanWindow& window : windows) places.push_back(window.text);
  const auto owners = features::most_context(places, offsets.size());

  BestSpans best = {.null_logits = std::numeric_limits<double>::infinity()};
  std::vector<TokenSpan> candidates;
  for (size_t w = 0; w < windows.size(); ++w) {
    require_finite(windows[w].starts);
    require_finite(windows[w].ends);
    best.null_logits = std::min(best.null_logits, sum(windows[w], 0, 0));
    add_candidates(windows[w], w, owners, rule, candidates);
  }
  if (candidates.empty()) {
    SpanRule all = rule;
    all.n_best = std::numeric_limits<int64_t>::max();
    for (size_t w = 0; w < windows.size(); ++w) add_candidates(windows[w], w, owners, all, candidates);
  }
  const TokenSpan null = {.logits = best.null_logits, .null = true};
  if (rule.with_null) candidates.push_back(null);
  std::ranges::stable_sort(candidates, std::ranges::greater(), &TokenSpan::logits);

  const CodePoints code_points(text);
  std::set<std::string_view> seen;
  const auto add = [&](const TokenSpan& candidate) {
    TextSpan span = {.logits = candidate.logits};
    if (!candidate.null) {
      span.place = {offsets[candidate.begin].begin, offsets[candidate.end].end};
      const text::Span bytes = code_points.bytes(span.place);
      span.text = text.substr(bytes.begin, bytes.end - bytes.begin);
    }
    if (!seen.insert(span.text).second) return;
    if (!candidate.null && !best.answer) best.answer = best.spans.size();
    best.spans.push_back(span);
  };
  for (const TokenSpan& candidate : candidates) {
    if (std::ssize(best.spans) >= rule.n_best) break;
    add(candidate);
  }
  if (rule.with_null) add(null);
  set_scores(best.spans);
  return best;
}

double null_score_of(const BestSpans& best) {
  return best.null_logits - (best.answer ? best.spans[*best.answer].logits : 0);
}

TextSpan answer_of(const BestSpans& best, std::optional<double> no_answer_threshold) {
  const bool none = no_answer_threshold && as_written(null_score_of(best)) > *no_answer_threshold;
  if (best.answer && !none) return best.spans[*best.answer];
  for (const TextSpan& span : best.spans) {
    if (span.text.empty()) return span;
  }
  return {};
}

}  // namespace bert::heads
