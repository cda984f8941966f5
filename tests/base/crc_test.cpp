#include "base/crc.h"

#include <doctest/doctest.h>

#include <random>
#include <string_view>
#include <vector>

using namespace bert;

namespace {

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

// Bit by bit, from the definition.
uint32_t slow_crc(std::span<const std::byte> bytes, uint32_t polynomial) {
  uint32_t remainder = ~0u;
  for (const auto byte : bytes) {
    remainder ^= static_cast<uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) remainder = remainder >> 1 ^ (remainder & 1 ? polynomial : 0);
  }
  return ~remainder;
}

}  // namespace

TEST_CASE("CRCs match their published check values") {
  CHECK(crc32(bytes_of("123456789")) == 0xcbf43926u);
  CHECK(crc32c(bytes_of("123456789")) == 0xe3069283u);
  CHECK(crc32({}) == 0);
  CHECK(crc32c({}) == 0);
  // RFC 3720, appendix B.4
  CHECK(crc32c(std::vector<std::byte>(32, std::byte{0})) == 0x8a9136aau);
  CHECK(crc32c(std::vector<std::byte>(32, std::byte{0xff})) == 0x62a8ab43u);
}

TEST_CASE("fast and slow CRCs agree for any length and alignment") {
  std::mt19937 random(5);
  std::vector<std::byte> bytes(40'000);
  for (auto& byte : bytes) byte = static_cast<std::byte>(random());
  for (int round = 0; round < 300; ++round) {
    const size_t most = round % 3 == 0 ? 100 : bytes.size() - 16;
    const auto part = std::span<const std::byte>(bytes).subspan(random() % 16, random() % most);
    CAPTURE(part.size());
    CHECK(crc32(part) == slow_crc(part, 0xedb88320u));
    CHECK(crc32c(part) == slow_crc(part, 0x82f63b78u));
  }
}
