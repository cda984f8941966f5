// Learns byte-level BPE (Sennrich et al. 2016; Radford et al. 2019) from word counts: starts with single
// bytes and repeatedly merges the most frequent pair of adjacent tokens. Ties go to the pair whose first
// token entered the vocabulary earlier, then to the one whose second did.
//
// The merges are those of Hugging Face's BpeTrainer, peculiarities included. They concern tokens made in
// several ways, such as abc = ab + c = a + bc:
//
//   A pair waits in the queue with the words in which it was found at the same time. If it is found in other
//   words later, it waits twice, and is merged in each set of words when that one's turn comes; the later
//   merge gives the pair its rank.
//   Merging a pair leaves its count as it is, so that it is merged again at once where it appears again.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/composition.h"
#include "text/vocabulary_learner.h"
#include "text/word_counts.h"

namespace bert::text {

// RoBERTa's special tokens.
constexpr std::array<std::string_view, 5> kRobertaSpecials = {"<s>", "<pad>", "</s>", "<unk>", "<mask>"};

struct LearnedBpe {
  std::vector<std::string>
      subwords;  // <s> <pad> </s> <unk> <mask>, the bytes by their characters, merged tokens
  BpeData data;
};

// Uses size and min_frequency of `options`. Words are bytes, as gpt2_word_end() divides a text; they must be
// distinct, with counts >= 1. Error if `size` is too small for the bytes, or if the total count exceeds 63
// bits.
LearnedBpe learn_bpe(std::span<const WordCount> words, const LearnerOptions& options);

}  // namespace bert::text
