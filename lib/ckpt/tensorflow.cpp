#include "ckpt/tensorflow.h"

#include <array>
#include <cstdio>
#include <optional>
#include <utility>

#include "base/error.h"
#include "ckpt/bundle.h"
#include "ckpt/names.h"
#include "ckpt/sstable.h"
#include "json/json.h"

namespace bert::ckpt {
namespace {

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
    refuse_lfs_pointer(index_);
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

Contents read_tensorflow(const std::string& path, std::vector<MappedFile>& files, DataSums sums) {
  return Bundle(path, files, sums).read();
}

}  // namespace bert::ckpt
