// BERT's classes of characters, as its two implementations see them.
//
// Google's tokenization.py asks the running Python's Unicode tables; ICU's are as good. Hugging Face's fast
// tokenizer asks the crate unicode_categories 0.1.1, frozen at Unicode 8 (2015): to it, a punctuation mark or
// an accent encoded later is a letter.
#pragma once

#include <vector>

#include "text/tokenizer.h"

namespace bert::text {

bool is_control(char32_t c, Compat compat);      // removed by clean_text; TAB, LF and CR are not control
bool is_punctuation(char32_t c, Compat compat);  // a word of its own; all of ASCII's marks, "$+<" included
bool is_accent(char32_t c, Compat compat);       // nonspacing mark
bool is_ideograph(char32_t c, Compat compat);    // CJK; Hugging Face begins one block 256 code points late
bool is_white_space(char32_t c);                 // Unicode's White_Space
bool is_word_character(char32_t c);              // \w of a regular expression

// Of the two kinds of letters that the final form of sigma depends on (Unicode, table 3-17).
bool is_cased(char32_t c);
bool is_case_ignorable(char32_t c);

// Of canonical decomposition nothing is known to Hugging Face about a code point encoded later than its
// tables: it is an inert starter.
bool is_inert(char32_t c, Compat compat);
uint8_t combining_class(char32_t c, Compat compat);  // 0 for a starter

// Appends the canonical decomposition; c itself when it has none.
void append_decomposition(char32_t c, Compat compat, std::vector<char32_t>& out);

// Appends the lower-case form of c standing alone: more than one code point for U+0130 only.
void append_lowercase(char32_t c, Compat compat, std::vector<char32_t>& out);

}  // namespace bert::text
