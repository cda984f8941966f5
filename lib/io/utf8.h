// Whether bytes are UTF-8, and what stands for them where they are not.
#pragma once

#include <string>
#include <string_view>

namespace bert::io {

bool is_utf8(std::string_view text);

// Error `byte 0xff at offset 12 is not valid UTF-8`, the offset counted from `begin` bytes before `text`.
void check_utf8(std::string_view text, size_t begin = 0);

// U+FFFD for each maximal part of an ill-formed sequence (The Unicode Standard, section 3.9), as WHATWG's and
// Python's decoders do: "a\xf0\x9f\x98z" has one, "a\xff\xfez" two.
std::string repair_utf8(std::string_view text);

}  // namespace bert::io
