// Cyclic redundancy checks used in file formats: CRC-32 (zip; ISO 3309) and CRC-32C (TensorFlow's tables and
// tensors; Castagnoli polynomial), 8 bytes at a time ("slicing by 8": Kounavis and Berry, 2005).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace bert {

constexpr uint32_t kCrc32 = 0xedb88320u;  // bit-reversed polynomials: x^31 is the lowest bit
constexpr uint32_t kCrc32c = 0x82f63b78u;

// The remainder after one more zero byte.
constexpr uint32_t after_zero_byte(uint32_t remainder, uint32_t polynomial) {
  for (int bit = 0; bit < 8; ++bit) remainder = remainder >> 1 ^ ((remainder & 1) != 0 ? polynomial : 0);
  return remainder;
}

// tables[k][b]: contribution of byte b to the remainder when k more bytes follow it.
using CrcTables = std::array<std::array<uint32_t, 256>, 8>;

constexpr CrcTables crc_tables(uint32_t polynomial) {
  CrcTables tables = {};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t remainder = byte;
    for (auto& table : tables) table[byte] = remainder = after_zero_byte(remainder, polynomial);
  }
  return tables;
}

inline uint32_t sliced_crc(const CrcTables& tables, std::span<const std::byte> bytes) {
  uint32_t crc = ~0u;
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
    uint64_t word;
    std::memcpy(&word, bytes.data(), sizeof word);
    word ^= crc;
    crc = 0;
    for (size_t k = 0; k < 8; ++k) crc ^= tables[7 - k][word >> 8 * k & 0xff];
  }
  for (const auto byte : bytes) crc = crc >> 8 ^ tables[0][(crc ^ static_cast<uint32_t>(byte)) & 0xff];
  return ~crc;
}

uint32_t crc32(std::span<const std::byte> bytes);

// Runs at memory speed if the CPU has a CRC-32C instruction.
uint32_t crc32c(std::span<const std::byte> bytes);

}  // namespace bert
