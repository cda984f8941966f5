// Reads numbers and byte ranges of a file with bounds checks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "base/error.h"

namespace bert {

class Bytes {
 public:
  explicit Bytes(std::span<const std::byte> bytes) : bytes_(bytes) {}

  size_t place() const { return place_; }
  std::span<const std::byte> rest() const { return bytes_.subspan(place_); }
  bool empty() const { return place_ == bytes_.size(); }

  // The next `count` bytes; Error if there are fewer.
  std::span<const std::byte> take(uint64_t count) {
    if (count > bytes_.size() - place_) {
      throw Error("ends after ", bytes_.size() - place_, " of ", count, " bytes expected at ", place_);
    }
    const auto taken = bytes_.subspan(place_, count);
    place_ += count;
    return taken;
  }
  std::string_view text(uint64_t count) {
    const auto taken = take(count);
    return {reinterpret_cast<const char*>(taken.data()), taken.size()};
  }

  // A little-endian number.
  template <class T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }

  // Seven bits per byte, lowest first; all bytes but the last have the highest bit set.
  uint64_t varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = number<uint8_t>();
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    throw Error("has a number of more than 64 bits before ", place_);
  }

  // The text up to the next line feed, which is skipped too.
  std::string_view line() {
    const std::string_view text(reinterpret_cast<const char*>(rest().data()), rest().size());
    const size_t length = text.find('\n');
    if (length == text.npos) throw Error("ends in the middle of a line at ", place_);
    place_ += length + 1;
    return text.substr(0, length);
  }

 private:
  std::span<const std::byte> bytes_;
  size_t place_ = 0;
};

}  // namespace bert
