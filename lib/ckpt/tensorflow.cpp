#include "ckpt/tensorflow.h"

#include <array>
#include <cstdio>
#include <optional>
#include <utility>

#include "base/bytes.h"
#include "base/crc.h"
#include "base/download.h"
#include "base/error.h"
#include "ckpt/names.h"
#include "json/json.h"

namespace bert::ckpt {
namespace {

constexpr uint64_t kTableMagic = 0xdb4775248b80fb57;
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

struct Field {
  uint64_t number = 0;
  enum class Wire { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 } wire = Wire::varint;
  uint64_t value = 0;                // for a number
  std::span<const std::byte> bytes;  // for a nested message

  bool is(uint64_t n, Wire w) const { return number == n && wire == w; }
};

Field read_field(Bytes& message) {
  const uint64_t key = message.varint();
  Field field = {.number = key >> 3};
  switch (key & 7) {
    case 0:
      field.value = message.varint();
      break;
    case 1:
      field.wire = Field::Wire::fixed64;
      field.value = message.number<uint64_t>();
      break;
    case 2:
      field.wire = Field::Wire::bytes;
      field.bytes = message.take(message.varint());
      break;
    case 5:
      field.wire = Field::Wire::fixed32;
      field.value = message.number<uint32_t>();
      break;
    default:
      throw Error("has a field of unknown wire type ", key & 7);
  }
  return field;
}

// TensorShapeProto: field 2 is a dimension; its field 1 is the size.
std::vector<int64_t> read_shape(std::span<const std::byte> bytes) {
  constexpr size_t kMaxRank = 64;
  std::vector<int64_t> shape;
  for (Bytes message(bytes); !message.empty();) {
    const auto dimension = read_field(message);
    if (!dimension.is(2, Field::Wire::bytes)) continue;
    int64_t extent = 0;
    for (Bytes inner(dimension.bytes); !inner.empty();) {
      const auto field = read_field(inner);
      if (field.is(1, Field::Wire::varint)) extent = field.value;
    }
    if (extent < 0 || shape.size() == kMaxRank) throw Error("has an invalid shape");
    shape.push_back(extent);
  }
  return shape;
}

constexpr std::string_view kIndexSuffix = ".index";
constexpr uint64_t kMaxShards = 99'999;  // five digits in a file name

// tensorflow/core/framework/types.proto
std::optional<Dtype> dtype_of(uint64_t number) {
  constexpr std::array<std::pair<uint64_t, Dtype>, 10> kTypes = {{
      {1, Dtype::f32},
      {2, Dtype::f64},
      {3, Dtype::i32},
      {4, Dtype::u8},
      {5, Dtype::i16},
      {6, Dtype::i8},
      {9, Dtype::i64},
      {10, Dtype::boolean},
      {14, Dtype::bf16},
      {19, Dtype::f16},
  }};
  for (const auto& [type, dtype] : kTypes) {
    if (type == number) return dtype;
  }
  return std::nullopt;
}

class Bundle {
 public:
  Bundle(const std::string& path, std::vector<MappedFile>& files, DataSums sums)
      : path_(path), index_(path), files_(files), first_(files.size()), sums_(sums) {}

  Contents read() {
    refuse_failed_download(index_.path(), index_.text());
    std::vector<TableEntry> entries;
    try {
      entries = read_sstable(index_.bytes());
      read_header(entries);
    } catch (const Error& error) {
      throw Error(path_, ": ", error.what());
    }
    map_shards();
    for (const auto& [key, value] : std::span(entries).subspan(1)) add(key, value);
    return std::move(contents_);
  }

 private:
  void read_header(const std::vector<TableEntry>& entries) {
    if (entries.empty() || !entries[0].key.empty())
      throw Error("has no header, expected a TensorFlow checkpoint");
    const auto header = read_bundle_header(entries[0].value);
    if (header.big_endian) throw Error("has big-endian numbers, expected little-endian ones");
    if (header.shards < 1 || header.shards > kMaxShards)
      throw Error("has ", header.shards, " data files, expected 1 to ", kMaxShards);
    shards_ = header.shards;
    for (const auto& entry : entries) {
      if (entry.key == "_CHECKPOINTABLE_OBJECT_GRAPH")
        throw Error(
            "is an object-based TensorFlow 2 checkpoint, expected a name-based one with the variable names "
            "of Google's BERT");
    }
  }

  void map_shards() {
    const auto prefix = path_.substr(0, path_.size() - kIndexSuffix.size());
    for (uint64_t shard = 0; shard < shards_; ++shard) {
      std::array<char, 32> suffix;
      std::snprintf(suffix.data(), suffix.size(), ".data-%05u-of-%05u", static_cast<unsigned>(shard),
                    static_cast<unsigned>(shards_));
      files_.emplace_back(prefix + suffix.data());
      left_ += files_.back().bytes().size();
    }
  }

  void add(const std::string& key, std::span<const std::byte> value) {
    try {
      const auto entry = read_bundle_entry(value);
      if (entry.sliced) {
        contents_.unread.push_back({key, path_, "a partitioned variable"});
        return;
      }
      const auto data = data_of(entry);
      if (auto named = tensorflow_name(key)) add(std::move(*named), entry, data);
    } catch (const Error& error) {
      throw Error(path_, ": tensor ", json::in_quotes(key), " ", error.what());
    }
  }

  void add(TensorflowName named, const BundleEntry& entry, std::span<const std::byte> data) {
    const auto& file = files_[first_ + entry.shard].path();
    const auto dtype = dtype_of(entry.dtype);
    if (!dtype) {
      contents_.unread.push_back({named.name, file, "TensorFlow type " + std::to_string(entry.dtype)});
      return;
    }
    check_size(entry, *dtype);
    auto shape = entry.shape;
    const bool transposed = named.transposed && shape.size() == 2;
    if (transposed) std::swap(shape[0], shape[1]);
    contents_.tensors.push_back({.name = std::move(named.name),
                                 .file = file,
                                 .dtype = *dtype,
                                 .shape = std::move(shape),
                                 .data = data,
                                 .transposed = transposed && !data.empty()});
  }

  static void check_size(const BundleEntry& entry, Dtype dtype) {
    uint64_t bytes = size_of(dtype);
    bool overflow = false;
    for (const auto extent : entry.shape)
      overflow |= __builtin_mul_overflow(bytes, static_cast<uint64_t>(extent), &bytes);
    if (overflow || bytes != entry.size)
      throw Error("has ", entry.size, " bytes, which does not match ", name_of(dtype), " ",
                  shape_text(entry.shape));
  }

  std::span<const std::byte> data_of(const BundleEntry& entry) {
    if (entry.shard >= shards_) throw Error("is in file ", entry.shard, " of ", shards_);
    const auto& file = files_[first_ + entry.shard];
    const auto bytes = file.bytes();
    if (entry.offset > bytes.size() || entry.size > bytes.size() - entry.offset) {
      throw Error("has ", entry.size, " bytes at ", entry.offset, " of ", file.path(), ", which has ",
                  bytes.size(), " bytes: it is truncated");
    }
    // Tensors must not share bytes; this bounds the time to verify the checksums of a hostile index.
    if (entry.size > left_) throw Error("shares its bytes with another tensor");
    left_ -= entry.size;
    const auto data = bytes.subspan(entry.offset, entry.size);
    if (sums_ == DataSums::leave) return data;
    const auto found = masked_crc32c(data);
    if (found != entry.crc)
      throw Error("is damaged: the bytes in ", file.path(), " have the CRC ", found, ", expected ",
                  entry.crc);
    return data;
  }

  const std::string& path_;
  MappedFile index_;
  std::vector<MappedFile>& files_;
  size_t first_;  // index in files_ of this checkpoint's first file
  DataSums sums_;
  uint64_t shards_ = 0;
  uint64_t left_ = 0;  // bytes of the files not yet assigned to a tensor
  Contents contents_;
};

}  // namespace

uint32_t masked_crc32c(std::span<const std::byte> bytes) {
  const uint32_t crc = crc32c(bytes);
  return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

std::vector<TableEntry> read_sstable(std::span<const std::byte> bytes) {
  if (bytes.size() < kFooterBytes)
    throw Error("has ", bytes.size(), " bytes, fewer than the footer of a checkpoint index");
  const auto footer = bytes.last(kFooterBytes);
  if (Bytes(footer.last(sizeof kTableMagic)).number<uint64_t>() != kTableMagic)
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

BundleHeader read_bundle_header(std::span<const std::byte> bytes) {
  BundleHeader header;
  for (Bytes message(bytes); !message.empty();) {
    const auto field = read_field(message);
    // In format V1, the only message has a nested message in this field.
    if (field.is(1, Field::Wire::bytes)) throw Error("is a TensorFlow checkpoint of format V1, expected V2");
    if (field.is(1, Field::Wire::varint)) header.shards = field.value;
    if (field.is(2, Field::Wire::varint)) header.big_endian = field.value != 0;
  }
  return header;
}

BundleEntry read_bundle_entry(std::span<const std::byte> bytes) {
  constexpr auto varint = Field::Wire::varint, fixed32 = Field::Wire::fixed32;
  BundleEntry entry;
  for (Bytes message(bytes); !message.empty();) {
    const auto field = read_field(message);
    if (field.is(1, varint)) entry.dtype = field.value;
    if (field.is(2, Field::Wire::bytes)) entry.shape = read_shape(field.bytes);
    if (field.is(3, varint)) entry.shard = field.value;
    if (field.is(4, varint)) entry.offset = field.value;
    if (field.is(5, varint)) entry.size = field.value;
    if (field.is(6, fixed32)) entry.crc = field.value;
    if (field.is(7, Field::Wire::bytes)) entry.sliced = true;
  }
  return entry;
}

Contents read_tensorflow(const std::string& path, std::vector<MappedFile>& files, DataSums sums) {
  return Bundle(path, files, sums).read();
}

}  // namespace bert::ckpt
