#include "ckpt/sstable.h"

#include "base/crc.h"
#include "base/error.h"
#include "ckpt/bytes.h"
#include "json/json.h"

namespace bert::ckpt {
namespace {

constexpr uint64_t kMagic = 0xdb4775248b80fb57;
constexpr size_t kFooterBytes = 48, kTrailerBytes = 5;
constexpr size_t kMaxKeyBytes = 64 << 20;  // of all keys: shared prefixes expand a few bytes to many

struct Handle {
  uint64_t offset = 0, size = 0;
};

Handle read_handle(Bytes& bytes) {
  Handle handle;
  handle.offset = bytes.varint();
  handle.size = bytes.varint();
  return handle;
}

// The contents of a block without its trailer, which is verified.
std::span<const std::byte> block_at(std::span<const std::byte> bytes, Handle handle) {
  const uint64_t end = bytes.size() - kFooterBytes;
  if (handle.offset > end || handle.size > end - handle.offset ||
      end - handle.offset - handle.size < kTrailerBytes)
    throw Error("has a block of ", handle.size, " bytes at ", handle.offset, ", but ", end, " bytes for all");
  const auto block = bytes.subspan(handle.offset, handle.size);
  Bytes trailer(bytes.subspan(handle.offset + handle.size, kTrailerBytes));
  const auto compression = trailer.number<uint8_t>();
  // The CRC includes the compression byte, so it is verified first.
  const auto expected = trailer.number<uint32_t>();
  const auto found = masked_crc32c(bytes.subspan(handle.offset, handle.size + 1));
  if (found != expected)
    throw Error("is damaged: the block at ", handle.offset, " has the CRC ", found, ", expected ", expected);
  if (compression == 1) throw Error("is compressed with Snappy, expected uncompressed blocks");
  if (compression != 0)
    throw Error("has unknown compression type ", int{compression}, ", expected uncompressed blocks");
  return block;
}

// Calls `take(key, value)` for each entry of a block.
template <class Take>
void read_block(std::span<const std::byte> block, const Take& take) {
  constexpr size_t kWord = sizeof(uint32_t);
  if (block.size() < kWord) throw Error("has a block without a restart count");
  const auto restarts = Bytes(block.last(kWord)).number<uint32_t>();
  if (restarts > block.size() / kWord - 1)
    throw Error("has a block of ", block.size(), " bytes with ", restarts, " restarts");
  Bytes bytes(block.first(block.size() - (size_t{restarts} + 1) * kWord));
  std::string key;
  while (!bytes.empty()) {
    const auto shared = bytes.varint(), rest = bytes.varint(), length = bytes.varint();
    if (shared > key.size()) throw Error("has a key that shares ", shared, " bytes with one of ", key.size());
    key.resize(shared);
    key += bytes.text(rest);
    take(key, bytes.take(length));
  }
}

}  // namespace

uint32_t masked_crc32c(std::span<const std::byte> bytes) {
  const uint32_t crc = crc32c(bytes);
  return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

std::vector<TableEntry> read_sstable(std::span<const std::byte> bytes) {
  if (bytes.size() < kFooterBytes)
    throw Error("has ", bytes.size(), " bytes, fewer than the footer of a checkpoint index");
  const auto footer = bytes.last(kFooterBytes);
  if (Bytes(footer.last(sizeof kMagic)).number<uint64_t>() != kMagic)
    throw Error("does not end like the index of a TensorFlow checkpoint");
  Bytes handles(footer);
  block_at(bytes, read_handle(handles));  // the metaindex, which is not needed
  std::vector<TableEntry> entries;
  size_t key_bytes = 0;
  read_block(
      block_at(bytes, read_handle(handles)), [&](const std::string&, std::span<const std::byte> value) {
        Bytes handle(value);
        read_block(block_at(bytes, read_handle(handle)), [&](const std::string& key,
                                                             std::span<const std::byte> found) {
          if (!entries.empty() && key <= entries.back().key)
            throw Error("has the key ", json::in_quotes(key), " after ", json::in_quotes(entries.back().key));
          if ((key_bytes += key.size()) > kMaxKeyBytes)
            throw Error("has more than ", kMaxKeyBytes, " bytes of keys");
          entries.push_back({key, found});
        });
      });
  return entries;
}

}  // namespace bert::ckpt
