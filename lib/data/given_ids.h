// Ids that a record brings along: what bert-tokenize made of its text before.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "data/features.h"
#include "io/fields.h"
#include "text/tokenizer.h"

namespace bert::data {

// Of the field input_ids, which must be there, or of a line of text with spaces between them. Error when one
// is not in the vocabulary.
std::vector<int32_t> ids_of(const text::Tokenizer& tokenizer, const io::Fields& fields);
std::vector<int32_t> ids_of_line(const text::Tokenizer& tokenizer, std::string_view line);

// input_ids as they stand, specials included, with token_type_ids (absent: all 0). A and B are found where
// [CLS] and [SEP] and the types say so, otherwise all ids are A, so that a limit cuts ids as it would have
// cut their text.
Features features_of_ids(const text::Tokenizer& tokenizer, const io::Fields& fields);

}  // namespace bert::data
