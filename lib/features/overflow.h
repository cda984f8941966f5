// Truncation and windows for texts that exceed the maximum length. Lengths are in tokens, without special
// tokens.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "text/tokenizer.h"

namespace bert::features {

struct CutRule {
  text::Truncation::Strategy strategy = text::Truncation::Strategy::longest_first;
  bool from_left = false;                  // truncate at the beginning, not at the end
  text::Compat compat = text::Compat::hf;  // decides which part gets the odd token if both are truncated
};

struct PartLengths {
  int64_t first = 0;
  int64_t second = 0;
  bool operator==(const PartLengths&) const = default;
};

// Lengths of both parts after truncation to `room` in total. They must not fit as they are.
//
// longest_first is equivalent to removing tokens one by one from the longer part: the longer part is
// shortened down to the other's length and, if that is not enough, each part gets half. The odd token goes
//   google: to the first part (run_classifier.py removes from the second on a tie),
//   hf:     to the longer part, the second if equal (truncate_encodings of tokenizers); lengths are compared
//           as `counted` there, if that differs from the real lengths.
// only_first, only_second: only that part is shortened; nullopt if none of it would remain, as in tokenizers.
std::optional<PartLengths> cut_lengths(PartLengths lengths, int64_t room, const CutRule& rule,
                                       std::optional<PartLengths> counted = {});

// Length of a part of a pair as counted by Hugging Face's tokenizers (from 0.23 on). They stop counting at
// the end of the word that contains token number `max_length`; added tokens never end the count. from_left:
// the same, counted from the end of the part. A subword token that is also an added token is treated as
// added.
int64_t counted_length(const text::Tokenizer& tokenizer, std::span<const int32_t> ids, int64_t max_length,
                       bool from_left);

struct Slide {
  int64_t length = 0;   // of a window
  int64_t overlap = 0;  // < length
  bool from_left = false;
};

struct Window {
  int64_t begin = 0, end = 0;
  bool operator==(const Window&) const = default;
};

// Splits `count` tokens into windows. Each begins length - overlap tokens after the previous one; the last
// ends at the last token and may be shorter. from_left: the same, from the end backwards. One empty window if
// there are no tokens.
std::vector<Window> slide(int64_t count, const Slide& slide);

// What counts as context: the smaller side, or only the tokens before, which are all that a causal model
// reads.
enum class Side { smaller, before };

// For each of `count` tokens, the window that gives it most context. Side::smaller: as in run_squad.py's
// _check_is_max_context, the highest min(tokens to the left, tokens to the right) + 0.01 length.
// Side::before: the most tokens to the left. On ties the first. Every token must be in a window.
//
//   [0,5) and [3,9): token 3 has 1 to its right in the first, 0 to its left in the second; 4 has 0 and 1.
std::vector<int32_t> most_context(std::span<const Window> windows, int64_t count, Side side = Side::smaller);

}  // namespace bert::features
