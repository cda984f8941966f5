// Lists of candidates for a text, which a cross-encoder ranks: the field `documents`, or the second text of a
// pair and `negatives`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "features/features.h"
#include "io/record.h"

namespace bert::features {

inline constexpr std::string_view kDocuments = "documents", kNegatives = "negatives";

// Whether the record has such a list.
bool has_candidates(const io::Fields& fields);
// At least one; the pair's second text is the first.
std::vector<std::string> candidates_of(const Featurizer& featurizer, const io::Fields& fields);

}  // namespace bert::features
