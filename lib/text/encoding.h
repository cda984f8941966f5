// Character encodings other than UTF-8, converted by ICU.
#pragma once

#include <memory>
#include <string_view>

#include "io/decoder.h"

namespace bert::text {

// For an encoding by any of its names that ICU knows: "windows-1252", "latin1", "Shift_JIS", "UTF-16".
// Throws Error if there is none of this name.
std::unique_ptr<io::Decoder> decoder_for(std::string_view encoding, io::InvalidUtf8 invalid);

}  // namespace bert::text
