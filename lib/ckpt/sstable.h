// Sorted string tables as LevelDB and TensorFlow write them (tensorflow/core/lib/io/format.h): blocks of keys
// and values in the order of the keys, a block that says where these are, and a footer that says where that
// is.
//
//   block:   entries, restart offsets (u32 each), their count (u32) | compression (u8), masked CRC-32C (u32)
//   entry:   shared, rest, length of the value (varints), rest of the key, value; `shared` bytes of the key
//   are
//            those of the key before
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
  std::span<const std::byte> value;  // in the bytes given
};

// The entries in the order of their keys, which are all different. Error when the table is not whole or the
// CRC of a block is wrong; its text ends with what stands behind a path.
std::vector<TableEntry> read_sstable(std::span<const std::byte> bytes);

// The stored form of a CRC: LevelDB adds a little so that a CRC of bytes with CRCs in them is no weak one.
uint32_t masked_crc32c(std::span<const std::byte> bytes);

}  // namespace bert::ckpt
