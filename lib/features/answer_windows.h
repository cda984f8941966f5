// Windows of a question and its context, as in Google's run_squad.py:
//
//   [CLS] question [SEP] part of the context [SEP]
//
// The question is truncated to a limit. Each window has the maximum length and begins `stride` tokens after
// the previous one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "features/features.h"
#include "io/record.h"
#include "text/tokenizer.h"

namespace bert::features {

constexpr int64_t kAnswerLength = 384;  // default window length, if the model allows it

struct AnswerRule {
  int64_t max_length = kAnswerLength;          // of a window in tokens, special tokens included
  int64_t stride = 128;                        // tokens from the start of one window to the next
  std::optional<int64_t> max_question_length;  // in tokens; default: 64, at most half of max_length
};

int64_t question_limit(const text::Tokenizer& tokenizer, const AnswerRule& rule);

// Throws Error if the question limit leaves no room for the context.
void require_room(const text::Tokenizer& tokenizer, const AnswerRule& rule);

struct AnswerWindows {
  std::string context;
  std::vector<text::Span> offsets;  // of the context's tokens, in code points
  // At least one. `second` is the context part, which begins at context token `window_begin`.
  std::vector<Features> windows;
  bool truncated = false;  // the question was truncated
};

// Reads the fields `question` and `context`.
AnswerWindows answer_windows(const text::Tokenizer& tokenizer, const AnswerRule& rule,
                             const io::Fields& fields);

}  // namespace bert::features
