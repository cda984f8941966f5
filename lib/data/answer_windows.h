// A question and the windows of its context, as Google's run_squad.py cuts them:
//
//   [CLS] question [SEP] part of the context [SEP]
//
// The question is cut to a limit. Windows are as long as they may be, and each begins `stride` tokens after
// the one before.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/features.h"
#include "io/fields.h"
#include "text/tokenizer.h"

namespace bert::data {

constexpr int64_t kAnswerLength = 384;  // of a window when nobody says, as far as the model reads so many

struct AnswerRule {
  int64_t max_length = kAnswerLength;          // tokens of a window, specials included
  int64_t stride = 128;                        // tokens from one window to the next
  std::optional<int64_t> max_question_length;  // tokens; without it 64, or half of max_length
};

int64_t question_limit(const AnswerRule& rule);

// Error when a question leaves no room for any context.
void require_room(const AnswerRule& rule);

struct AnswerWindows {
  std::string context;
  std::vector<text::Span> offsets;  // of the context's tokens, in code points
  // At least one. `second` is the part of the context, which begins at its token `window_begin`.
  std::vector<Features> windows;
  bool truncated = false;  // the question was cut
};

// Of the fields `question` and `context`.
AnswerWindows answer_windows(const text::Tokenizer& tokenizer, const AnswerRule& rule,
                             const io::Fields& fields);

}  // namespace bert::data
