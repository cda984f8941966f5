// TensorFlow V2 checkpoints ("bundles", tensorflow/core/protobuf/tensor_bundle.proto), the format of Google's
// BERT releases. PREFIX.index is a sorted table that maps each tensor's name to the position and
// CRC-32C of its bytes in PREFIX.data-00000-of-00001.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "ckpt/checkpoint.h"

namespace bert::ckpt {

// Sorted string tables as written by LevelDB and TensorFlow (tensorflow/core/lib/io/format.h): data blocks
// with keys and values in key order, an index block with the positions of the data blocks, and a footer with
// the position of the index block.
//
//   block:   entries, restart offsets (u32 each), their count (u32) | compression (u8), masked CRC-32C (u32)
//   entry:   shared, rest, length of the value (varints), rest of the key, value;
//            the first `shared` bytes of the key are those of the previous key
//   footer:  metaindex and index handle (varints offset and size), zeros up to byte 40, magic (u64)
struct TableEntry {
  std::string key;
  std::span<const std::byte> value;  // view of the given bytes
};

// The entries in key order; keys are unique. Error if the table is incomplete or the CRC of a block is wrong;
// the message is meant to follow a path.
std::vector<TableEntry> read_sstable(std::span<const std::byte> bytes);

// The stored form of a CRC. LevelDB masks CRCs because the CRC of data that contains CRCs is weak.
uint32_t masked_crc32c(std::span<const std::byte> bytes);

// Messages in the table (tensor_bundle.proto), in the protocol buffer wire format.
struct BundleHeader {
  uint64_t shards = 0;
  bool big_endian = false;
};
BundleHeader read_bundle_header(std::span<const std::byte> message);

struct BundleEntry {
  uint64_t dtype = 0;  // tensorflow/core/framework/types.proto
  std::vector<int64_t> shape;
  uint64_t shard = 0, offset = 0, size = 0;  // in bytes
  uint32_t crc = 0;                          // masked
  bool sliced = false;                       // the variable is split into slices, whose data is elsewhere
};
BundleEntry read_bundle_entry(std::span<const std::byte> message);

// The tensors in the index at `path`, with Hugging Face's names (names.h), without optimizer state. Maps the
// data files in the same directory and appends them to `files`. Reads all data with DataSums::check. Error
// if the index or a checksum is wrong.
Contents read_tensorflow(const std::string& path, std::vector<MappedFile>& files, DataSums sums);

}  // namespace bert::ckpt
