// The frequent substrings of words, found with a suffix array.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "text/word_counts.h"

namespace bert::text {

struct SubstringLimits {
  int64_t min_count = 2;
  uint32_t max_chars = 16;  // length in characters; the shortest have 2
  size_t most = 1'000'000;  // number of substrings
};

// The substrings that occur most, by number of occurrences times length in characters; ties go to the one
// that is less in byte order. Sorted by this; views into the words. A substring is left out if all its
// occurrences are followed by the same character. Words must be valid UTF-8.
//
//   words ab (2 times), abc (3), limits {2, 16, ...}
//   suffixes in order: ab, abc, b, bc, c
//   substrings: ab 5 times, abc 3, bc 3; the others have one character
//
// Takes about 30 bytes for each character of the words.
std::vector<WordCount> frequent_substrings(std::span<const WordCount> words, const SubstringLimits& limits);

}  // namespace bert::text
