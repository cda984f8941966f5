// UTF-8 validation and repair.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bert::json {

bool is_utf8(std::string_view text);

// Number of code points that start in `text`.
int64_t count_code_points(std::string_view text);

// Error `byte 0xff at offset 12 is not valid UTF-8`. `begin` is added to the offset.
void check_utf8(std::string_view text, size_t begin = 0);

// Replaces each maximal subpart of an ill-formed sequence by U+FFFD (The Unicode Standard, section 3.9), like
// the WHATWG and Python decoders: "a\xf0\x9f\x98z" gets one, "a\xff\xfez" two.
std::string repair_utf8(std::string_view text);

}  // namespace bert::json
