// The characters of a corpus, of which a vocabulary is learned.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "text/word_counts.h"

namespace bert::text {

struct Character {
  std::string_view bytes;
  int64_t count = 0;
  bool continues = false;  // occurs in a word of more than one character
};

// Sorted by code point, which equals byte order; views into the words. With limit >= 0, only the `limit` most
// frequent characters; ties go to the lower code point. Error if the total count exceeds 63 bits.
std::vector<Character> alphabet_of(std::span<const WordCount> words, int64_t limit);

// The first character of a text that is not empty.
std::string_view first_character(std::string_view text);

}  // namespace bert::text
