// The two cases in which what a code point becomes depends on its neighbours.
#pragma once

#include <string_view>
#include <vector>

#include "text/character_table.h"

namespace bert::text {

struct Placed {
  Unit unit;
  Span source;  // bytes of the text it came from
};

struct Reordered {
  std::vector<Placed> placed;
  size_t end = 0;  // where the text goes on
};

// NFD sorts a run of combining marks by their combining class. Mostly the marks are stripped anyway and
// nothing shows; this is for the rest: some mark of the code point at `at` stays. Takes the whole run around
// it, of which the part before `at` holds only stripped marks.
Reordered reorder(std::string_view text, size_t at, const CharacterRules& rules);

// True when the capital sigma at `at` ends a word, so that its lower case is ς (Unicode, table 3-17,
// Final_Sigma).
bool is_final_sigma(std::string_view text, size_t at, const CharacterRules& rules);

}  // namespace bert::text
