// The two cases in which the result for a code point depends on its neighbors.
#pragma once

#include <string_view>
#include <vector>

#include "text/character_table.h"

namespace bert::text {

struct Placed {
  Unit unit;
  Span source;  // bytes of the original text
};

struct Reordered {
  std::vector<Placed> placed;
  size_t end = 0;  // where to continue in the text
};

// NFD sorts a run of combining marks by combining class. Usually all marks are stripped and the order does
// not matter; this function handles the case in which a mark of the code point at `at` remains. It processes
// the whole run around `at`; the part before `at` contains only stripped marks.
Reordered reorder(std::string_view text, size_t at, const CharacterRules& rules);

// Whether the capital sigma at `at` ends a word, so that its lowercase form is ς (Unicode, table 3-17,
// Final_Sigma).
bool is_final_sigma(std::string_view text, size_t at, const CharacterRules& rules);

}  // namespace bert::text
