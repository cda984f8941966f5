// A 64-bit sum by which a damaged file is known: any change within 8 bytes changes it, any other does but for
// one in 2^64. For accidents, not for attacks. As fast as memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace bert {

class Checksum {
 public:
  // The sum is that of all the bytes end to end, however they are cut into calls.
  void add(std::span<const std::byte> bytes);
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  uint64_t value() const;

 private:
  static constexpr size_t kBlock = 32;
  void add_blocks(const std::byte* bytes, size_t blocks);

  std::array<uint64_t, 4> lanes_ = {1, 2, 3, 4};
  std::array<std::byte, kBlock> rest_;  // of the last block, size_ % kBlock bytes
  uint64_t size_ = 0;
};

}  // namespace bert
