// Sequences of a multiple-choice record: [CLS] text [SEP] question choice [SEP] for each choice.
#pragma once

#include <cstdint>
#include <vector>

#include "features/features.h"
#include "io/record.h"

namespace bert::features {

struct ChooseSequence {
  Features features;
  int32_t choice = 0;  // ascending
};

// Built from the record's text, its optional field `question` and its array `choices`. A choice has one
// sequence, or several windows with Overflow::split. If the featurizer takes ids and the record has them,
// input_ids is an array with one array for each choice, and so is token_type_ids.
std::vector<ChooseSequence> choose_sequences(const Featurizer& featurizer, const io::Fields& fields);

}  // namespace bert::features
