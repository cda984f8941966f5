// Slow reference for task/answer.cpp and task/spans.cpp: what Google's run_squad.py does with the logits of a
// question's windows, in its order and with its names, except that the answer text is taken by offsets.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "slow_features.h"

namespace bert::reference {

struct SlowSpan {
  std::string text;
  int64_t start = -1, end = -1;  // code points; -1 for none
  double start_logit = 0, end_logit = 0, probability = 0;
};

struct SlowAnswer {
  SlowSpan answer;
  double score_diff = 0;
  std::vector<SlowSpan> nbest;
};

struct SlowQuestion {
  int64_t query_tokens = 0;                              // after truncation to max_query_length
  std::vector<std::string> characters;                   // the context's code points
  std::vector<std::pair<int64_t, int64_t>> tok_to_orig;  // of each token of the context: first and last + 1
};

struct SlowSquadOptions {
  int64_t max_seq_length = 384, doc_stride = 128, n_best_size = 20, max_answer_length = 30;
  std::optional<double> null_score_diff_threshold;  // set: version_2_with_negative
};

inline std::vector<features::Window> doc_spans(int64_t tokens, int64_t max_tokens_for_doc,
                                               int64_t doc_stride) {
  std::vector<features::Window> spans;
  int64_t start_offset = 0;
  while (start_offset < tokens) {
    const int64_t length = std::min(tokens - start_offset, max_tokens_for_doc);
    spans.push_back({start_offset, start_offset + length});
    if (start_offset + length == tokens) break;
    start_offset += std::min(length, doc_stride);
  }
  return spans;
}

inline std::vector<size_t> get_best_indexes(const std::vector<float>& logits, int64_t n_best_size) {
  std::vector<size_t> indexes;
  for (size_t i = 0; i < logits.size(); ++i) indexes.push_back(i);
  std::stable_sort(indexes.begin(), indexes.end(), [&](size_t a, size_t b) { return logits[a] > logits[b]; });
  if (static_cast<int64_t>(indexes.size()) > n_best_size) indexes.resize(static_cast<size_t>(n_best_size));
  return indexes;
}

// starts[f], ends[f]: the logits of all tokens of feature f, which is a window.
inline SlowAnswer slow_answer(const SlowQuestion& question, const SlowSquadOptions& options,
                              const std::vector<std::vector<float>>& starts,
                              const std::vector<std::vector<float>>& ends) {
  struct Prelim {
    size_t feature;
    int64_t start_index, end_index;
    double start_logit, end_logit;
  };
  const bool v2 = options.null_score_diff_threshold.has_value();
  const int64_t max_tokens_for_doc = options.max_seq_length - question.query_tokens - 3;
  const auto tokens = static_cast<int64_t>(question.tok_to_orig.size());
  auto spans = doc_spans(tokens, max_tokens_for_doc, options.doc_stride);
  const auto owners = most_context(spans, tokens);
  if (spans.empty()) spans.push_back({0, 0});  // run_squad.py would fail; here it is one window without text

  std::vector<Prelim> prelim, all_prelim;
  double score_null = 1000000, null_start = 0, null_end = 0;
  for (size_t f = 0; f < spans.size(); ++f) {
    std::map<int64_t, int64_t> token_to_orig_map;  // position in the window to token of the context
    for (int64_t i = 0; i < spans[f].end - spans[f].begin; ++i)
      token_to_orig_map[question.query_tokens + 2 + i] = spans[f].begin + i;
    const double null_score = static_cast<double>(starts[f][0]) + static_cast<double>(ends[f][0]);
    if (null_score < score_null) {
      score_null = null_score;
      null_start = starts[f][0];
      null_end = ends[f][0];
    }
    const auto best_starts = get_best_indexes(starts[f], options.n_best_size);
    const auto best_ends = get_best_indexes(ends[f], options.n_best_size);
    const auto any = static_cast<int64_t>(starts[f].size());
    for (const size_t s : get_best_indexes(starts[f], any)) {
      for (const size_t e : get_best_indexes(ends[f], any)) {
        const auto start_index = static_cast<int64_t>(s), end_index = static_cast<int64_t>(e);
        if (!token_to_orig_map.contains(start_index)) continue;
        if (!token_to_orig_map.contains(end_index)) continue;
        if (owners[static_cast<size_t>(token_to_orig_map[start_index])] != static_cast<int32_t>(f)) continue;
        if (end_index < start_index) continue;
        if (end_index - start_index + 1 > options.max_answer_length) continue;
        const Prelim pred = {f, token_to_orig_map[start_index], token_to_orig_map[end_index], starts[f][s],
                             ends[f][e]};
        all_prelim.push_back(pred);
        if (std::count(best_starts.begin(), best_starts.end(), s) == 0) continue;
        if (std::count(best_ends.begin(), best_ends.end(), e) == 0) continue;
        prelim.push_back(pred);
      }
    }
  }
  if (prelim.empty()) prelim = all_prelim;  // run_squad.py answers "empty" here, or fails
  if (v2) prelim.push_back({0, -1, -1, null_start, null_end});
  std::stable_sort(prelim.begin(), prelim.end(), [](const Prelim& a, const Prelim& b) {
    return a.start_logit + a.end_logit > b.start_logit + b.end_logit;
  });

  SlowAnswer result;
  auto& nbest = result.nbest;
  const auto seen = [&](const std::string& text) {
    return std::any_of(nbest.begin(), nbest.end(), [&](const SlowSpan& span) { return span.text == text; });
  };
  for (const Prelim& pred : prelim) {
    if (static_cast<int64_t>(nbest.size()) >= options.n_best_size) break;
    SlowSpan span{.start_logit = pred.start_logit, .end_logit = pred.end_logit};
    if (pred.start_index >= 0) {
      span.start = question.tok_to_orig[static_cast<size_t>(pred.start_index)].first;
      span.end = question.tok_to_orig[static_cast<size_t>(pred.end_index)].second;
      for (int64_t c = span.start; c < span.end; ++c)
        span.text += question.characters[static_cast<size_t>(c)];
      if (seen(span.text)) continue;
    }
    nbest.push_back(span);
  }
  if (v2 && !seen("")) nbest.push_back({.start_logit = null_start, .end_logit = null_end});

  double sum = 0;
  for (const SlowSpan& span : nbest) sum += std::exp(span.start_logit + span.end_logit);
  const SlowSpan* best_non_null_entry = nullptr;
  for (SlowSpan& span : nbest) {
    span.probability = std::exp(span.start_logit + span.end_logit) / sum;
    if (best_non_null_entry == nullptr && !span.text.empty()) best_non_null_entry = &span;
  }
  result.score_diff = score_null;
  if (best_non_null_entry != nullptr)
    result.score_diff -= best_non_null_entry->start_logit + best_non_null_entry->end_logit;
  const bool none = v2 && result.score_diff > *options.null_score_diff_threshold;
  if (best_non_null_entry != nullptr && !none) {
    result.answer = *best_non_null_entry;
  } else {
    for (const SlowSpan& span : nbest)
      if (span.text.empty()) result.answer = span;
  }
  return result;
}

}  // namespace bert::reference
