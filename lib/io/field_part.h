// Parts of fields, under the names that their columns have in a table: "scores.pos" is the member "pos" of
// the object `scores`, "embedding_0" the first number of the array `embedding`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/output.h"

namespace bert::io {

struct FieldValue {
  std::string_view text;
  bool plain = false;  // not JSON
};

std::string_view trimmed(std::string_view json);  // without white space around it

// The value of the field, or else of the part, with this name; nullopt if there is none. Names of fields and
// members may contain dots, too.
std::optional<FieldValue> value_named(std::string_view name, const OutputRow& fields);

// How many numbers a JSON array has; 0 for an array of other values and for other JSON, such as a vector in
// base64.
size_t width_of(std::string_view array);

// The names of the members of a JSON object; none of other JSON.
std::vector<std::string> members_of(std::string_view object);

}  // namespace bert::io
