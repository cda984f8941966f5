// Full sentences of several documents in one instance (Liu et al. 2019, section 4.2, FULL-SENTENCES):
//
//   documents  a1 a2 | b1 | c1 c2     instances  [CLS] a1 a2 [SEP] b1 [SEP]   [CLS] c1 c2 [SEP]
//
// An instance ends before the first sentence that does not fit. [SEP] separates documents.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "corpus/pairs.h"

namespace bert::corpus {

struct Packed {
  std::vector<int32_t> ids;  // without the special tokens at both ends
  int64_t document = 0;      // the place of the one with which it begins
  int64_t number = 0;        // from 0, of those that begin there
  std::string id;            // that of the document
};

class FullSentences {
 public:
  FullSentences(const PairRule& rule, int32_t separator, uint64_t seed)
      : rule_(rule), separator_(separator), seed_(seed) {}

  // Appends the instances that the document completes.
  void add(const Document& document, std::vector<Packed>& complete);
  // Moves the last instance to `packed`, if there is one.
  bool take_rest(Packed& packed);

 private:
  void begin(const Document& document, std::span<const int32_t> sentence);

  const PairRule rule_;
  const int32_t separator_;
  const uint64_t seed_;
  Packed open_;         // empty: none
  int64_t target_ = 0;  // its length
  int64_t begun_ = 0;   // instances that begin in the current document
};

}  // namespace bert::corpus
