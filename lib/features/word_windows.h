// Windows of records whose words are tagged.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "features/features.h"
#include "io/record.h"
#include "json/json.h"

namespace bert::features {

// Windows of a record's words (see Fields::words), within their document if the options say so.
std::vector<Features> word_windows(const io::Fields& fields, const Featurizer& featurizer,
                                   const std::pair<std::string, json::Value>& words);

// Windows of a record's input_ids, if each token is a word: the record has no words, or as many. nullopt if
// it has no ids or they are not requested. Throws Error if the ids are a pair.
std::optional<std::vector<Features>> find_token_windows(const io::Fields& fields,
                                                        const Featurizer& featurizer);

}  // namespace bert::features
