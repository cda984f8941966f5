// What stays of a text, or of two, that has more tokens than there is room for. Lengths are in tokens,
// specials not among them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "text/tokenizer.h"

namespace bert::data {

struct CutRule {
  text::Truncation::Strategy strategy = text::Truncation::Strategy::longest_first;
  bool from_left = false;                  // cut off the beginning, not the end
  text::Compat compat = text::Compat::hf;  // who gets the odd token when both parts are cut
};

struct PartLengths {
  int64_t first = 0;
  int64_t second = 0;
  bool operator==(const PartLengths&) const = default;
};

// How much of each part stays so that both together fill `room`, when they do not fit.
//
// longest_first takes tokens one by one from the longer part until both fit, computed at once: the longer
// part gives until it is as short as the other; if that is not enough each gets half. An odd token goes
//   google: to the first part (run_classifier.py takes from the second on a tie),
//   hf:     to the part that was longer, the second when both were equal (tokenizers' truncate_encodings); by
//   the
//           lengths that are `counted` there, lest they differ from the true ones.
// only_first, only_second: that part gives all; nullopt when it would have to give all it has or more, as
// there.
std::optional<PartLengths> cut_lengths(PartLengths lengths, int64_t room, const CutRule& rule,
                                       std::optional<PartLengths> counted = {});

// The length of a part of a pair as Hugging Face's tokenizers (from 0.23 on) count it: they stop at the end
// of the word with which the part has `max_length` tokens, or behind the added tokens that follow one without
// such an end. from_left: the same from the part's end. An added token that is a piece as well counts as
// added wherever it stands.
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

// Windows over `count` tokens: each begins length - overlap after the one before; the last ends where the
// tokens end and may be shorter. from_left: the same from the end backwards. One empty window when there are
// no tokens.
std::vector<Window> slide(int64_t count, const Slide& slide);

// For each of `count` tokens the window in which it has most context, as run_squad.py's
// _check_is_max_context has it: the highest min(tokens to the left, to the right) + 0.01 length, the first of
// equals. Every token lies in a window.
//
//   [0,5) and [3,9): token 3 has 1 to its right in the first, 0 to its left in the second; 4 has 0 and 1.
std::vector<int32_t> most_context(std::span<const Window> windows, int64_t count);

}  // namespace bert::data
