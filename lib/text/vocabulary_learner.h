// Learns a WordPiece vocabulary from counted words: begins with the characters and joins, time after time,
// the two neighbouring pieces that are best together, until the vocabulary is full.
//
//   likelihood   the join that raises the corpus's likelihood under independent pieces most (the idea of
//                Schuster and Nakajima 2012, "Japanese and Korean voice search", section 3), to first order
//                  gain(a b) = f(ab) · log(f(ab) · N / (f(a) · f(b)))
//                f: how often a piece, or a pair side by side, occurs in the corpus as divided now; N: the
//                pieces of the corpus as divided now
//   frequency    the pair that occurs most often (Sennrich et al. 2016), as Hugging Face's trainers have it
//
// Of equals the pair whose first piece entered the vocabulary earlier is taken, then by the second.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "text/word_counts.h"

namespace bert::text {

enum class Criterion { likelihood, frequency };

struct LearnerOptions {
  int64_t size = 30522;         // pieces in all
  int64_t min_frequency = 2;    // of a pair to be joined
  int64_t unused = 0;           // [unused0] ... for pieces that users will add
  int64_t alphabet_limit = -1;  // the most frequent characters that are kept; -1: all
  Criterion criterion = Criterion::likelihood;
};

// [PAD] [UNK] [CLS] [SEP] [MASK], the unused, the characters by code point, those that occur in words of more
// than one character again as continuations, then what was joined, in that order. Fewer than options.size
// pieces when no pair is left. A word with a character outside the alphabet would be [UNK] and is not learned
// from. Words are different, valid UTF-8 and sorted by bytes, counts >= 1. Error when `size` does not hold
// what comes before the joins, or the counts together exceed 63 bits.
std::vector<std::string> learn_vocabulary(std::span<const WordCount> words, const LearnerOptions& options);

}  // namespace bert::text
