#include "base/checksum.h"

#include <algorithm>
#include <cstring>

namespace bert {
namespace {

constexpr uint64_t kOdd = 0x9e3779b97f4a7c15u;  // 2^64 / golden ratio

// Bijective in `lane` for a fixed word and in `word` for a fixed lane, so a difference is never lost.
uint64_t mixed(uint64_t lane, uint64_t word) {
  lane = (lane ^ word) * kOdd;
  return lane ^ lane >> 29;
}

}  // namespace

void Checksum::add_blocks(const std::byte* bytes, size_t blocks) {
  auto lanes = lanes_;
  for (size_t block = 0; block < blocks; ++block, bytes += kBlock) {
    std::array<uint64_t, 4> words;
    std::memcpy(words.data(), bytes, kBlock);
    for (size_t i = 0; i < lanes.size(); ++i) lanes[i] = mixed(lanes[i], words[i]);
  }
  lanes_ = lanes;
}

void Checksum::add(std::span<const std::byte> bytes) {
  const size_t held = size_ % kBlock;
  size_ += bytes.size();
  if (held > 0) {
    const size_t taken = std::min(bytes.size(), kBlock - held);
    std::copy_n(bytes.begin(), taken, rest_.begin() + static_cast<std::ptrdiff_t>(held));
    bytes = bytes.subspan(taken);
    if (held + taken < kBlock) return;
    add_blocks(rest_.data(), 1);
  }
  add_blocks(bytes.data(), bytes.size() / kBlock);
  std::ranges::copy(bytes.subspan(bytes.size() / kBlock * kBlock), rest_.begin());
}

uint64_t Checksum::value() const {
  Checksum last = *this;
  std::fill(last.rest_.begin() + static_cast<std::ptrdiff_t>(size_ % kBlock), last.rest_.end(), std::byte{0});
  last.add_blocks(last.rest_.data(), 1);
  uint64_t sum = mixed(kOdd, size_);
  for (const uint64_t lane : last.lanes_) sum = mixed(sum, lane);
  return sum;
}

uint64_t checksum(const MappedFile& file) {
  constexpr size_t kPart = 64 << 20;  // bytes
  const auto bytes = file.bytes();
  Checksum checksum;
  for (size_t begin = 0; begin < bytes.size(); begin += kPart) {
    const auto part = bytes.subspan(begin, std::min(kPart, bytes.size() - begin));
    checksum.add(part);
    MappedFile::release(part);
  }
  return checksum.value();
}

std::string hexadecimal(uint64_t value) {
  std::string digits;
  for (int shift = 60; shift >= 0; shift -= 4) digits += "0123456789abcdef"[value >> shift & 15];
  return digits;
}

}  // namespace bert
