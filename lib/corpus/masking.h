// Masked language modeling (Devlin et al. 2018, section 3.1, task 1): some tokens are masked and the model
// predicts them. Most masked tokens become [MASK], some become a random token, some are unchanged.
//
// A causal (left-to-right) model predicts each next token instead, and nothing is masked (section 5.1,
// "LTR").
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/random.h"
#include "text/tokenizer.h"

namespace bert::corpus {

// Defaults from the paper; its appendix C.2 (table 8) varies the rates.
struct MaskRule {
  enum class Unit { token, word };              // word: mask whole words
  enum class Target { masked, next };           // next: each token predicts the one after it
  enum class Replacements { ordinary, every };  // every: also special tokens and [unusedK], as Google

  double probability = 0.15;               // probability that a token is masked
  double mask_rate = 0.8;                  // share of masked tokens replaced by [MASK]
  double random_rate = 0.1;                // share replaced by a random token; the rest are unchanged
  std::optional<int64_t> max_predictions;  // >= 1; nullopt: no limit
  Unit unit = Unit::token;
  Target target = Target::masked;  // if next, the settings of masking are not used
  Replacements replacements = Replacements::ordinary;
  bool operator==(const MaskRule&) const = default;
};

// Number of tokens to mask in a sequence of `length`, special tokens included: probability * length, rounded
// half to even as in Python, at least 1 and at most max_predictions.
int64_t predictions_wanted(int64_t length, const MaskRule& rule);

// A masked token, or a token that predicts the next one.
struct Prediction {
  int32_t position = 0;  // in the instance, from 0
  int32_t id = 0;        // original id, or the next one
  bool operator==(const Prediction&) const = default;
};

// Thread-safe.
class Masker {
 public:
  // Throws Error if random tokens are wanted and the vocabulary has none to offer. `tokenizer` must outlive
  // this object.
  Masker(const text::Tokenizer& tokenizer, const MaskRule& rule);

  const MaskRule& rule() const { return rule_; }

  // Masks tokens of `ids`, which must be in the vocabulary, and returns them by ascending position. Chooses
  // predictions_wanted() tokens with equal probability, or all maskable ones if there are fewer. Special
  // tokens, [UNK] and [MASK] among them, are never masked. With Unit::word, words with more tokens than are
  // still wanted are skipped, so the result may be smaller. Depends only on `ids` and `random`.
  //
  // With Target::next, `ids` are unchanged, and each position but the last predicts the id after it.
  std::vector<Prediction> mask(std::span<int32_t> ids, Random random) const;

 private:
  // Tokens [begin, end) that are masked together.
  struct Group {
    int32_t begin, end;
  };
  std::vector<Group> groups(std::span<const int32_t> ids) const;
  int32_t shown(int32_t id, Random& random) const;

  enum class Kind : uint8_t { special, start, continuation };
  const text::Tokenizer& tokenizer_;
  const MaskRule rule_;
  const int32_t mask_id_;
  std::vector<Kind> kinds_;            // by id
  std::vector<int32_t> replacements_;  // ids
};

}  // namespace bert::corpus
