// Encodes with the parts of a Composition: normalizer, pre-tokenizer, Unigram or byte-level BPE.
//
// Most words of most texts stay as they are, so the text is not normalized as a whole. It is cut at spaces
// between ASCII characters that no normalizer changes; only the stretches that need it are normalized.
//
//   "Hello caf\u00e9 and more"   Hello is looked up as it is; " caf\u00e9" is normalized; " and" and " more"
//   are
//                              looked up
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>

#include "text/added_tokens.h"
#include "text/composition.h"
#include "text/normalizer_steps.h"
#include "text/word_cache.h"

namespace bert::text {

// Added tokens that are searched for in the original text, and those searched for in the text between them,
// after normalization.
struct Literals {
  AddedTokens original, normalized;
  std::string first_bytes;    // of normalized ones
  bool cross_spaces = false;  // one of the normalized ones may contain white space or take it
};

class Composed {
 public:
  // `subwords` by id. Throws Error if they do not fit the model.
  Composed(std::span<const std::string> subwords, Composition composition);

  std::string normalized(std::string_view content) const;

  // To be called once, when all literals are known.
  void prepare(const Literals& literals);

  void encode(std::string_view text, const Literals& literals, Wanted wanted, Tokens& tokens) const;

  std::string joined(std::span<const std::string_view> tokens) const;

  // What only the first token of a word begins with: "▁" or "Ġ".
  std::string_view word_mark() const;

  // Whether a token can be in one word with the token before it, which it follows without a mark.
  bool joins(std::string_view before, std::string_view token) const;

  const Composition& parts() const { return composition_; }

 private:
  class Run;

  size_t next_cut(std::string_view text, size_t at) const;

  Composition composition_;
  std::unique_ptr<SubwordModel> model_;
  WordCache cache_;
  std::array<uint8_t, 256> steady_ = {};  // see steady_bytes()
  bool keeps_steady_ = false;             // each of them is the byte itself
  bool cuttable_ = false;                 // at spaces between steady bytes
  bool marks_all_ = false;                // each word after a space begins with "▁"
};

}  // namespace bert::text
