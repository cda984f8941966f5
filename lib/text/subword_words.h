// The words of a text that Unigram and byte-level BPE learn from: those which the tokenizer that is learned
// will see, so that counting them is enough.
#pragma once

#include <functional>
#include <string_view>

#include "text/composition.h"
#include "text/tokenizer.h"

namespace bert::text {

enum class LetterCase { kept, lower };  // lower: without accents

// The parts of a tokenizer to learn, as RoBERTa (byte-level BPE) and XLM-R (Unigram) have them, without the
// model. Unigram normalizes to NFKC.
Composition composition_to_learn(ModelKind kind, LetterCase letter_case);

using TakeWord = std::function<void(std::string_view word)>;

// Calls take(word) for the words of a text, which must be valid UTF-8. Views are valid during the call.
// Words of more than kMaxLearnedWord bytes are skipped.
//
//   byte-level BPE   words by the pattern of GPT-2: "a cat." is "a", " cat", "."
//   Unigram          words between white space after "▁", divided where the script changes, since tokens of
//                    more than one script are not learned: "a cat." is "▁a", "▁cat", "."
void for_each_subword_word(const Composition& composition, std::string_view text, const TakeWord& take);

// The same for a word of a file of counts, which has been through for_each_subword_word() already, so that no
// "▁" is put before it; with byte-level BPE it is written in the characters of bytes.
void for_each_counted_word(const Composition& composition, std::string_view word, const TakeWord& take);

constexpr size_t kMaxLearnedWord = 4096;

}  // namespace bert::text
