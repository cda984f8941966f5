#include "io/decoder.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace bert::io {

DecodedBytes::DecodedBytes(ByteSource& source, std::unique_ptr<Decoder> decoder, std::string_view begin,
                           std::string name)
    : source_(source), decoder_(std::move(decoder)), name_(std::move(name)), bytes_(64 << 10) {
  decode(begin, Decoder::Part::inner);
}

std::optional<size_t> DecodedBytes::read(std::span<char> to) {
  while (at_ == text_.size()) {
    if (!failure_.empty()) throw ReadError(failure_);
    if (ended_) return 0;
    const auto count = source_.read(bytes_);
    if (!count) return std::nullopt;
    ended_ = *count == 0;
    text_.clear();
    at_ = 0;
    decode({bytes_.data(), *count}, ended_ ? Decoder::Part::last : Decoder::Part::inner);
  }
  const size_t count = std::min(to.size(), text_.size() - at_);
  std::memcpy(to.data(), text_.data() + at_, count);
  at_ += count;
  return count;
}

bool DecodedBytes::ready() const { return at_ < text_.size() || ended_ || source_.ready(); }

void DecodedBytes::decode(std::string_view bytes, Decoder::Part part) {
  try {
    decoder_->decode(bytes, part, text_);
  } catch (const Error& error) {
    failure_ = name_ + ": " + error.what();
  }
}

}  // namespace bert::io
