// CRC-32C with the SSE 4.2 instruction, which is detected at run time. The instruction has a latency of 3
// cycles and a throughput of 1 per cycle, so three stretches of the input are processed in parallel:
//
//   crc(A·B·C) = shift(shift(crc(A)) ^ crc(B)) ^ crc(C)        shift: append as many zero bytes as B or C has
#include <immintrin.h>

#include "base/crc.h"

namespace bert {
namespace {

constexpr size_t kStretch = 2048;  // size of A, of B and of C in bytes; a power of two

// A linear map of remainders: the image of each bit.
using Map = std::array<uint32_t, 32>;

constexpr uint32_t image_of(const Map& map, uint32_t remainder) {
  uint32_t sum = 0;
  for (size_t bit = 0; bit < 32; ++bit) sum ^= (remainder >> bit & 1) != 0 ? map[bit] : 0;
  return sum;
}

constexpr Map over_stretch() {
  Map map = {};
  for (size_t bit = 0; bit < 32; ++bit) map[bit] = after_zero_byte(uint32_t{1} << bit, kCrc32c);
  for (size_t bytes = 1; bytes < kStretch; bytes *= 2) {
    Map twice = {};
    for (size_t bit = 0; bit < 32; ++bit) twice[bit] = image_of(map, map[bit]);
    map = twice;
  }
  return map;
}

// The map over one stretch, tabulated for each value of each byte of a remainder.
using ShiftTables = std::array<std::array<uint32_t, 256>, 4>;

constexpr ShiftTables shift_tables() {
  constexpr Map kMap = over_stretch();
  ShiftTables tables = {};
  for (size_t k = 0; k < 4; ++k) {
    for (uint32_t byte = 0; byte < 256; ++byte) tables[k][byte] = image_of(kMap, byte << 8 * k);
  }
  return tables;
}

constexpr ShiftTables kShift = shift_tables();

uint64_t shift(uint64_t crc) {
  return kShift[0][crc & 0xff] ^ kShift[1][crc >> 8 & 0xff] ^ kShift[2][crc >> 16 & 0xff] ^
         kShift[3][crc >> 24 & 0xff];
}

uint64_t word_at(const std::byte* from) {
  uint64_t word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

__attribute__((target("sse4.2"))) uint32_t crc32c_sse42(std::span<const std::byte> bytes) {
  uint64_t crc = ~0u;
  for (; bytes.size() >= 3 * kStretch; bytes = bytes.subspan(3 * kStretch)) {
    uint64_t b = 0, c = 0;
    for (const std::byte *at = bytes.data(), *end = at + kStretch; at < end; at += 8) {
      crc = _mm_crc32_u64(crc, word_at(at));
      b = _mm_crc32_u64(b, word_at(at + kStretch));
      c = _mm_crc32_u64(c, word_at(at + 2 * kStretch));
    }
    crc = shift(shift(crc) ^ b) ^ c;
  }
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) crc = _mm_crc32_u64(crc, word_at(bytes.data()));
  uint32_t rest = crc;
  for (const auto byte : bytes) rest = _mm_crc32_u8(rest, static_cast<uint8_t>(byte));
  return ~rest;
}

}  // namespace

uint32_t crc32c(std::span<const std::byte> bytes) {
  static constexpr CrcTables kTables = crc_tables(kCrc32c);
  static const bool sse42 = __builtin_cpu_supports("sse4.2");
  return sse42 ? crc32c_sse42(bytes) : sliced_crc(kTables, bytes);
}

}  // namespace bert
