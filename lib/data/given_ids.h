// Ids that a record brings along: what bert-tokenize made of its text before.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
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

// Of the field token_type_ids, `length` values from 0; all 0 where there is none.
std::vector<int32_t> types_of(const io::Fields& fields, size_t length);

// The field's array of integers; nullopt where there is none.
std::optional<std::vector<int32_t>> integers_of(const io::Fields& fields, std::string_view field);
// Error when an id, found in `field`, is not in the vocabulary.
void check_id(const text::Tokenizer& tokenizer, std::string_view field, int32_t id, size_t position);
void check_ids(const text::Tokenizer& tokenizer, std::string_view field, std::span<const int32_t> ids);

// input_ids as they stand, specials included, with token_type_ids (absent: all 0). A and B are found where
// [CLS] and [SEP] and the types say so, otherwise all ids are A, so that a limit cuts ids as it would have
// cut their text.
Features features_of_ids(const text::Tokenizer& tokenizer, const io::Fields& fields);
// The same of arrays from elsewhere in a record; messages call them by the fields' names.
Features features_of_ids(const text::Tokenizer& tokenizer, std::vector<int32_t> ids,
                         std::optional<std::vector<int32_t>> types);

}  // namespace bert::data
