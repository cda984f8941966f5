// Learns a Unigram vocabulary from word counts (Kudo 2018, "Subword Regularization", section 3.2): starts
// with the frequent substrings of the words and, in turn,
//
//   estimates the probability of each token by EM, where the counts are those expected over all divisions of
//   the words, and exp(digamma(count)) instead of the count makes rare tokens rarer (variational Bayes with a
//   sparse prior, as in SentencePiece)
//   removes the quarter of the tokens without which the likelihood of the words falls least
//
// until the vocabulary has the size sought. Characters always stay.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "text/composition.h"
#include "text/vocabulary_learner.h"
#include "text/word_counts.h"

namespace bert::text {

struct LearnedUnigram {
  std::vector<std::string> subwords;  // <s> <pad> </s> <unk>, the tokens by score, <mask>
  UnigramData data;
};

// Uses size, alphabet_limit and min_frequency of `options`: a token of several characters must occur at least
// min_frequency times. Words must be distinct, valid UTF-8 and sorted by bytes, with counts >= 1. Characters
// outside the alphabet divide words. Error if `size` is too small for the characters, or if the count
// of a character exceeds 63 bits.
LearnedUnigram learn_unigram(std::span<const WordCount> words, const LearnerOptions& options);

// The derivative of log Γ(x), for x > 0.
double digamma(double x);

}  // namespace bert::text
