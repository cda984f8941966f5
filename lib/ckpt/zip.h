// The zip container (PKWARE's APPNOTE.TXT), as far as PyTorch uses it: entries stored as they are, zip64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"

namespace bert::ckpt {

struct ZipEntry {
  std::string name;
  std::span<const std::byte> data;  // in the mapping
  uint32_t crc = 0;                 // CRC-32 of data, as the file has it
};

bool is_zip(const MappedFile& file);  // by its first bytes

// The entries of `file`, sorted by name. Error when its directory is not whole, an entry is compressed or
// encrypted, or two have one name. The data is not read.
std::vector<ZipEntry> read_zip(const MappedFile& file);

// Reads the data of all entries; Error when the CRC of one is not what the file says.
void check_zip(const MappedFile& file);

}  // namespace bert::ckpt
