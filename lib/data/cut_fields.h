// Fields that describe the tokens of a record's input_ids: when ids are cut off, their values are as well.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/features.h"
#include "io/fields.h"

namespace bert::data {

struct CutField {
  std::string_view name;
  std::string json;  // its new value
};

// What stays of input_ids, token_type_ids, tokens, offsets and word_ids, those that the record has, and of
// labels where these are as many: the values at Features::places. masked_lm_positions are numbered as the ids
// that stay, and masked_lm_ids go with them. `sequences` is what was read of input_ids: one, or of an array
// of arrays one for each. Fields in `dropped` are not looked at. Error when a field has not one value for
// each id.
std::vector<CutField> cut_fields(const io::Fields& fields, std::span<const Features* const> sequences,
                                 std::span<const std::string> dropped);

}  // namespace bert::data
