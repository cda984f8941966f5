// BERT's character classes, as defined by its two implementations.
//
// Google's tokenization.py uses the Unicode tables of the running Python; ICU's are equivalent. Hugging
// Face's fast tokenizer uses the crate unicode_categories 0.1.1, which is frozen at Unicode 8 (2015):
// punctuation and accents added to Unicode later count as letters.
#pragma once

#include <optional>
#include <vector>

#include "text/tokenizer.h"

namespace bert::text {

bool is_control(char32_t c, Compat compat);      // removed by clean_text; does not include TAB, LF and CR
bool is_punctuation(char32_t c, Compat compat);  // a separate word; all ASCII punctuation, "$+<" included
bool is_accent(char32_t c, Compat compat);       // nonspacing mark
bool is_ideograph(char32_t c, Compat compat);    // CJK; in Hugging Face one block starts 256 code points late
bool is_white_space(char32_t c);                 // Unicode's White_Space
bool is_word_character(char32_t c);              // \w of a regular expression

// Classes that decide the lowercase form of a final sigma (Unicode, table 3-17).
bool is_cased(char32_t c);
bool is_case_ignorable(char32_t c);

// With Compat::hf: whether c is newer than Hugging Face's decomposition tables, which make it an inert
// starter.
bool is_inert(char32_t c, Compat compat);
uint8_t combining_class(char32_t c, Compat compat);  // 0 for a starter

// Appends the canonical decomposition, or c itself if it has none.
void append_decomposition(char32_t c, Compat compat, std::vector<char32_t>& out);

// The same with compatibility decompositions (NFKD), as with Compat::hf.
void append_compatible_decomposition(char32_t c, std::vector<char32_t>& out);

// What the two compose to (NFC), as with Compat::hf.
std::optional<char32_t> composed_pair(char32_t first, char32_t second);

// Appends the lowercase form of c without context; more than one code point only for U+0130.
void append_lowercase(char32_t c, Compat compat, std::vector<char32_t>& out);

}  // namespace bert::text
