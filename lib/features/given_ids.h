// Ids given in a record, for example by bert-tokenize.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "features/features.h"
#include "io/drop_list.h"
#include "io/record.h"
#include "text/tokenizer.h"

namespace bert::features {

// Reads the required field input_ids, or a line of ids separated by spaces. Throws Error if an id is not in
// the vocabulary, or if the record has as many `tokens`, and one of them is not that of its id: the ids are
// then probably of another vocabulary. Masked tokens are not compared.
std::vector<int32_t> ids_of(const text::Tokenizer& tokenizer, const io::Fields& fields);
std::vector<int32_t> ids_of_line(const text::Tokenizer& tokenizer, std::string_view line);

// Whether the ids are [CLS] ... [SEP].
bool is_framed(const text::Tokenizer& tokenizer, std::span<const int32_t> ids);

// Reads the field token_type_ids: `length` values >= 0, all 0 if the field is absent.
std::vector<int32_t> types_of(const io::Fields& fields, size_t length);

// Throws Error if an array that describes input_ids, such as token_type_ids or offsets, has another length.
// Fields that are dropped are not compared.
void check_lengths(const io::Fields& fields, size_t length, const io::DropList& dropped);

// Throws Error if an id, found in `field`, is not in the vocabulary.
void check_id(const text::Tokenizer& tokenizer, std::string_view field, int32_t id, size_t position);
void check_ids(const text::Tokenizer& tokenizer, std::string_view field, std::span<const int32_t> ids);

// Takes input_ids unchanged, special tokens included, with token_type_ids (absent: all 0). Finds A and B by
// [CLS], [SEP] and the types, so that truncation gives the same result as for text. If they do not fit this
// pattern, all ids are A. Throws Error as ids_of does.
Features features_of_ids(const text::Tokenizer& tokenizer, const io::Fields& fields);
// The same for arrays from elsewhere in a record; messages use the names of these fields.
Features features_of_ids(const text::Tokenizer& tokenizer, std::vector<int32_t> ids,
                         std::optional<std::vector<int32_t>> types);

}  // namespace bert::features
