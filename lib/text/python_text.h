// Python's str and re semantics, for metrics that are defined by a Python program.
#pragma once

#include <string>
#include <string_view>

namespace bert::text {

// str.lower(): full case mapping of valid UTF-8; a final capital sigma becomes ς.
std::string python_lower(std::string_view text);

bool is_python_space(char32_t c);  // str.isspace(), where str.split() splits; includes U+001C to U+001F
bool is_python_word(char32_t c);   // \w: letters, everything with a numeric value, and _; not combining marks

}  // namespace bert::text
