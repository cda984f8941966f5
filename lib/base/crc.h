// Cyclic redundancy checks used in file formats: CRC-32 (zip; ISO 3309) and CRC-32C (TensorFlow's tables and
// tensors; Castagnoli polynomial).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bert {

uint32_t crc32(std::span<const std::byte> bytes);

// Runs at memory speed if the CPU has a CRC-32C instruction.
uint32_t crc32c(std::span<const std::byte> bytes);

}  // namespace bert
