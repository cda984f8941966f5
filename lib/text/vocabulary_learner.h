// Learns a WordPiece vocabulary from word counts. Starts with single characters and repeatedly merges the
// best pair of adjacent tokens until the vocabulary is full.
//
//   likelihood   the merge that most increases the corpus likelihood under a unigram model (the idea of
//                Schuster and Nakajima 2012, "Japanese and Korean voice search", section 3), to first order
//                   gain(a b) = f(ab) · log(f(ab) · N / (f(a) · f(b)))
//                f: number of occurrences of a token, or of a pair of adjacent tokens, in the corpus as
//                currently divided; N: number of tokens in that corpus
//   frequency    the most frequent pair (Sennrich et al. 2016), as in Hugging Face's trainers
//
// Ties go to the pair whose first token entered the vocabulary earlier, then to the one whose second did.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "text/word_counts.h"

namespace bert::text {

enum class Criterion { likelihood, frequency };

struct LearnerOptions {
  int64_t size = 30522;         // total number of tokens
  int64_t min_frequency = 2;    // minimum count of a pair to be merged
  int64_t unused = 0;           // number of [unusedK] entries, for tokens that users add
  int64_t alphabet_limit = -1;  // number of most frequent characters to keep; -1: all
  Criterion criterion = Criterion::likelihood;
};

// Returns [PAD] [UNK] [CLS] [SEP] [MASK], the unused entries, the characters by code point, the continuations
// of those characters that occur in longer words, then the merged tokens in order. Returns fewer than
// options.size tokens if no pair is left. Words with a character outside the alphabet are ignored: they would
// become [UNK]. `words` must be distinct, valid UTF-8 and sorted by bytes, with counts >= 1. Error if `size`
// is too small for the entries before the merges, or if the total count exceeds 63 bits.
std::vector<std::string> learn_vocabulary(std::span<const WordCount> words, const LearnerOptions& options);

}  // namespace bert::text
