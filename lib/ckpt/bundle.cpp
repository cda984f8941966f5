#include "ckpt/bundle.h"

#include "base/error.h"
#include "ckpt/bytes.h"

namespace bert::ckpt {
namespace {

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
      if (field.is(1, Field::Wire::varint)) extent = static_cast<int64_t>(field.value);
    }
    if (extent < 0 || shape.size() == kMaxRank) throw Error("has an invalid shape");
    shape.push_back(extent);
  }
  return shape;
}

}  // namespace

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
    if (field.is(6, fixed32)) entry.crc = static_cast<uint32_t>(field.value);
    if (field.is(7, Field::Wire::bytes)) entry.sliced = true;
  }
  return entry;
}

}  // namespace bert::ckpt
