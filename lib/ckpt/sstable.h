// Sorted string tables as written by LevelDB and TensorFlow (tensorflow/core/lib/io/format.h): data blocks
// with keys and values in key order, an index block with the positions of the data blocks, and a footer with
// the position of the index block.
//
//   block:   entries, restart offsets (u32 each), their count (u32) | compression (u8), masked CRC-32C (u32)
//   entry:   shared, rest, length of the value (varints), rest of the key, value;
//            the first `shared` bytes of the key are those of the previous key
//   footer:  metaindex and index handle (varints offset and size), zeros up to byte 40, magic (u64)
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace bert::ckpt {

struct TableEntry {
  std::string key;
  std::span<const std::byte> value;  // view of the given bytes
};

// The entries in key order; keys are unique. Error if the table is incomplete or the CRC of a block is wrong;
// the message is meant to follow a path.
std::vector<TableEntry> read_sstable(std::span<const std::byte> bytes);

// The stored form of a CRC. LevelDB masks CRCs because the CRC of data that contains CRCs is weak.
uint32_t masked_crc32c(std::span<const std::byte> bytes);

}  // namespace bert::ckpt
