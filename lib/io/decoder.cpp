#include "io/decoder.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "json/utf8.h"

namespace bert::io {

void Utf8OrOther::decode(std::string_view bytes, Part part, std::string& out) {
  if (state_ == State::undecided) {
    const auto is_wide = [](char c) { return static_cast<signed char>(c) < 0; };
    const auto wide = withheld_.empty() ? std::ranges::find_if(bytes, is_wide) : bytes.begin();
    const auto ascii = bytes.substr(0, wide - bytes.begin());
    other_->decode(ascii, Part::inner, out);
    look_for_utf8(ascii, Part::inner);
    bytes.remove_prefix(ascii.size());
    const size_t end = bytes.find('\n');
    withheld_ += bytes;
    const bool has_line = !withheld_.empty() && (end != bytes.npos || part == Part::last);
    if (!has_line && part == Part::inner) return;
    const auto line =
        std::string_view(withheld_).substr(0, withheld_.size() - bytes.size() + std::min(end, bytes.size()));
    state_ = has_line && json::is_utf8(line) ? State::utf8 : State::other;
    if (state_ == State::utf8) notes_.utf8();
    const auto text = std::exchange(withheld_, {});
    return decode(text, part, out);
  }
  if (state_ == State::utf8) {
    out += bytes;
  } else {
    const auto is_control = [](char c) { return (static_cast<unsigned char>(c) & 0xe0) == 0x80; };
    if (notes_.controls && std::ranges::any_of(bytes, is_control)) std::exchange(notes_.controls, nullptr)();
    look_for_utf8(bytes, part);
    other_->decode(bytes, part, out);
  }
}

void Utf8OrOther::look_for_utf8(std::string_view bytes, Part part) {
  constexpr size_t kMostBytes = 64 << 10;  // longer lines are not looked at
  const auto is_wide = [](char c) { return static_cast<signed char>(c) < 0; };
  while (notes_.utf8_line && (!bytes.empty() || (part == Part::last && !line_.empty()))) {
    const size_t end = bytes.find('\n');
    const auto piece = bytes.substr(0, end);
    line_ += piece.substr(0, kMostBytes - std::min(line_.size(), kMostBytes));
    bytes.remove_prefix(std::min(piece.size() + 1, bytes.size()));
    if (end == bytes.npos && part == Part::inner) return;
    ++lines_;
    if (line_.size() < kMostBytes && std::ranges::count_if(line_, is_wide) >= notes_.utf8_bytes &&
        json::is_utf8(line_))
      std::exchange(notes_.utf8_line, nullptr)(lines_);
    line_.clear();
  }
}

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
