// Truncates the fields that describe the tokens of input_ids along with the ids.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "features/features.h"
#include "io/drop_list.h"
#include "io/record.h"

namespace bert::features {

struct TruncatedField {
  std::string_view name;
  std::string json;  // new value
};

// Keeps the values at Features::places in input_ids, token_type_ids, tokens, offsets and word_ids, where
// present, and in labels if it has one value for each id. masked_lm_positions are renumbered, and
// masked_lm_ids are cut to match. `sequences` holds what was read from input_ids: one sequence, or one for
// each inner array. Fields in `dropped` are skipped. Throws Error if a field does not have one value for each
// id.
std::vector<TruncatedField> truncated_fields(const io::Fields& fields,
                                             std::span<const Features* const> sequences,
                                             const io::DropList& dropped);

}  // namespace bert::features
