// The sequences among whose continuations one is chosen: [CLS] text [SEP] question choice [SEP] for each.
#pragma once

#include <cstdint>
#include <vector>

#include "data/features.h"
#include "io/fields.h"

namespace bert::data {

struct ChooseSequence {
  Features features;
  int32_t choice = 0;  // ascending
};

// Of the record's text, its field `question` where there is one, and its array `choices`. One or more for
// each choice: with Overflow::split a long one has several windows. Where the featurizer takes ids and the
// record has them, they are those of its choices: an array of arrays, and token_type_ids alike.
std::vector<ChooseSequence> choose_sequences(const Featurizer& featurizer, const io::Fields& fields);

}  // namespace bert::data
