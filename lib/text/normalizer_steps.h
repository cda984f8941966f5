// The normalizers that tokenizer.json composes, applied to a text with its alignment.
#pragma once

#include <array>
#include <span>

#include "text/aligned_text.h"
#include "text/composition.h"

namespace bert::text {

// Which ends of the whole text a part of it has.
struct Ends {
  bool begin = true, end = true;
};

void apply(std::span<const NormalizerStep> steps, Ends ends, AlignedText& text);

// For each ASCII byte from space to ~, the byte that it always becomes, whatever its neighbors are; 0 where
// there is none. Bytes that Replace looks for have none; the space has one if only runs of spaces matter.
std::array<uint8_t, 256> steady_bytes(std::span<const NormalizerStep> steps);

}  // namespace bert::text
