#include "base/crc.h"

namespace bert {

uint32_t crc32(std::span<const std::byte> bytes) {
  static constexpr CrcTables kTables = crc_tables(kCrc32);
  return sliced_crc(kTables, bytes);
}

}  // namespace bert
