// Splits a word into the tokens whose scores (log probabilities) have the highest sum (Kudo 2018, "Subword
// Regularization", section 3.2), as Hugging Face's library does: sums are float64 from the word's beginning,
// on ties the token that begins first wins, a character without a token of its own costs 10 more than the
// worst token, and adjacent unknown characters are one token.
#pragma once

#include <span>
#include <string>

#include "text/byte_trie.h"
#include "text/composition.h"
#include "text/subword_model.h"

namespace bert::text {

class Unigram : public SubwordModel {
 public:
  // `subwords` by id. Throws Error for `byte_fallback` without the 256 tokens <0x00> to <0xFF>.
  Unigram(std::span<const std::string> subwords, UnigramData data);

  void split(std::string_view word, std::vector<Part>& parts) const override;

 private:
  class Lattice;

  void finish(std::string_view word, std::vector<Part>& parts, size_t first) const;

  ByteTrie trie_;
  UnigramData data_;
  double unknown_score_ = 0;
  std::vector<int32_t> bytes_;  // with byte_fallback: the token of each byte
};

}  // namespace bert::text
