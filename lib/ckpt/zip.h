// The zip container (PKWARE's APPNOTE.TXT) as used by PyTorch: uncompressed entries, zip64.
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
  std::span<const std::byte> data;  // points into the mapping
  uint32_t crc = 0;                 // CRC-32 of data as stored in the file
};

bool is_zip(const MappedFile& file);  // by the first bytes

// The entries of `file`, sorted by name. Error if the directory is incomplete, an entry is compressed or
// encrypted, or two entries have the same name. Does not read the data.
std::vector<ZipEntry> read_zip(const MappedFile& file);

// Reads the data of all entries. Error if a CRC is wrong.
void check_zip(const MappedFile& file);

}  // namespace bert::ckpt
