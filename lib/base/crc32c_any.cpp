// CRC-32C for processors without SSE 4.2.
#include "base/crc.h"

namespace bert {

uint32_t crc32c(std::span<const std::byte> bytes) {
  static constexpr CrcTables kTables = crc_tables(kCrc32c);
  return sliced_crc(kTables, bytes);
}

}  // namespace bert
