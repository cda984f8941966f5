#include "io/input.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "io/decompressor.h"

namespace bert::io {
namespace {

constexpr size_t kReadBytes = 128 << 10;  // size of one read; twice the default capacity of a pipe
constexpr size_t kKeepBytes = 1 << 20;    // a larger buffer is freed once its long record is consumed

}  // namespace

Input::Input(std::string name, int stop) : file_(std::move(name), stop) {}
Input::~Input() = default;

bool Input::read_more() {
  if (ended_) return false;
  make_room();
  const auto count = source_->read({buffer_.get() + end_, kReadBytes});
  if (!count) return false;
  end_ += *count;
  ended_ = *count == 0;
  return !ended_;
}

void Input::decompress(const Compression& compression) {
  decompressor_ = std::make_unique<Decompressor>(file_, compression, std::string(unread()));
  source_ = decompressor_.get();
  begin_ = end_ = 0;
  ended_ = false;
}

void Input::decode(std::unique_ptr<Decoder> decoder) {
  decoded_ = std::make_unique<DecodedBytes>(*source_, std::move(decoder), unread(), name());
  source_ = decoded_.get();
  begin_ = end_ = 0;
  ended_ = false;
}

void Input::make_room() {
  if (capacity_ - end_ >= kReadBytes) return;
  const size_t unread = end_ - begin_;
  const bool oversized = capacity_ > kKeepBytes && unread < kReadBytes;
  if (oversized || unread + kReadBytes > capacity_ || begin_ < unread) {
    capacity_ = oversized ? 4 * kReadBytes : std::max(2 * capacity_, 4 * kReadBytes);
    auto larger = std::make_unique_for_overwrite<char[]>(capacity_);
    if (unread > 0) std::memcpy(larger.get(), buffer_.get() + begin_, unread);
    buffer_ = std::move(larger);
  } else {
    std::memcpy(buffer_.get(), buffer_.get() + begin_, unread);
  }
  begin_ = 0;
  end_ = unread;
}

}  // namespace bert::io
