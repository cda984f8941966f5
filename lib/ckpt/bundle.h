// Parses the messages in the index of a TensorFlow checkpoint (tensorflow/core/protobuf/tensor_bundle.proto)
// from the protocol buffer wire format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bert::ckpt {

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

}  // namespace bert::ckpt
