// Parts of fields, under the names that their columns have in a table: "scores.pos" is the member "pos" of
// the object `scores`, "embedding_0" the first number of the array `embedding`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bert::io {

struct OutputField {
  std::string_view name, value;  // JSON
};

// Without white space around it.
std::string_view trimmed(std::string_view json);

// How many numbers a JSON array has; 0 for an array of other values and for other JSON, such as a vector in
// base64.
size_t width_of(std::string_view array);

// The names of the members of a JSON object; none of other JSON.
std::vector<std::string> members_of(std::string_view object);

// The value of the part with this name; nullopt if there is none.
std::optional<std::string_view> part_named(std::string_view name, std::span<const OutputField> fields);

}  // namespace bert::io
