// 64-bit checksum that detects accidental damage to a file: a change within one aligned 8-byte word always
// changes it, any other change is missed with probability 2^-64. Not cryptographic. Runs at memory speed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/file.h"

namespace bert {

class Checksum {
 public:
  // The checksum covers the concatenation of all bytes; how they are split into calls makes no difference.
  void add(std::span<const std::byte> bytes);
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  uint64_t value() const;

 private:
  static constexpr size_t kBlock = 32;
  void add_blocks(const std::byte* bytes, size_t blocks);

  std::array<uint64_t, 4> lanes_ = {1, 2, 3, 4};
  std::array<std::byte, kBlock> rest_;  // the incomplete last block: size_ % kBlock bytes
  uint64_t size_ = 0;
};

// The checksum of a whole file, which is read in parts.
uint64_t checksum(const MappedFile& file);

std::string hexadecimal(uint64_t value);  // 16 digits

}  // namespace bert
