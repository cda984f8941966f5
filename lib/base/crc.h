// Cyclic redundancy checks that file formats carry: CRC-32 (zip; ISO 3309) and CRC-32C (TensorFlow's tables
// and tensors; Castagnoli's polynomial).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bert {

uint32_t crc32(std::span<const std::byte> bytes);

// As fast as memory where the CPU has an instruction for it.
uint32_t crc32c(std::span<const std::byte> bytes);

}  // namespace bert
