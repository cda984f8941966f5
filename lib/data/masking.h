// Masked language modelling (Devlin et al. 2018, section 3.1, task 1): some tokens of an instance are hidden,
// and the model is to find them out. Most of the hidden ones become [MASK], some another token, some stay.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/random.h"
#include "text/tokenizer.h"

namespace bert::data {

// The defaults are the paper's; appendix C.2 (table 8) varies the rates.
struct MaskRule {
  enum class Unit { token, word };  // word: the pieces of a word are hidden together or not at all
  enum class Replacements { ordinary, every };  // every: specials and [unusedK] too, as Google has it

  double probability = 0.15;               // of a token to be hidden
  double mask_rate = 0.8;                  // of the hidden ones: how many become [MASK],
  double random_rate = 0.1;                // and how many a random token; the others stay as they are
  std::optional<int64_t> max_predictions;  // >= 1; nullopt: no limit
  Unit unit = Unit::token;
  Replacements replacements = Replacements::ordinary;
};

// How many of `length` tokens, specials included, are to be hidden: probability * length, half to even as
// Python rounds it, but at least 1 and at most max_predictions.
int64_t predictions_wanted(int64_t length, const MaskRule& rule);

// A hidden token.
struct Prediction {
  int32_t position = 0;  // in the instance, from 0
  int32_t id = 0;        // what stood there
  bool operator==(const Prediction&) const = default;
};

// Const and without locks: any thread may use it.
class Masker {
 public:
  // Error when random tokens are wanted and the vocabulary has none to offer. Of `tokenizer` nothing is kept.
  Masker(const text::Tokenizer& tokenizer, const MaskRule& rule);

  const MaskRule& rule() const { return rule_; }

  // Hides tokens of `ids`, which are in the vocabulary, and returns them by ascending position:
  // predictions_wanted() of them, chosen equally likely, or all there are where that is less. Specials are
  // never hidden ([UNK] and a [MASK] in the text among them), so an instance of specials alone has none.
  // By words, one of more pieces than are still wanted is passed over, so fewer may come out. The same
  // `random` gives the same.
  std::vector<Prediction> mask(std::span<int32_t> ids, Random random) const;

 private:
  // Pieces [begin, end) that are hidden together.
  struct Group {
    int32_t begin, end;
  };
  std::vector<Group> groups(std::span<const int32_t> ids) const;
  int32_t shown(int32_t id, Random& random) const;

  enum class Kind : uint8_t { special, start, continuation };
  const MaskRule rule_;
  const int32_t mask_id_;
  std::vector<Kind> kinds_;            // by id
  std::vector<int32_t> replacements_;  // ids
};

}  // namespace bert::data
