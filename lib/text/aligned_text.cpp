#include "text/aligned_text.h"

#include <algorithm>

#include "text/utf8.h"

namespace bert::text {

AlignedText::AlignedText(std::string_view text, size_t base, Alignment alignment)
    : text_(text), aligned_(alignment == Alignment::kept) {
  if (!aligned_) return;
  sources_.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const uint32_t size = decode(text.data() + at).size;
    const Span source{static_cast<uint32_t>(base + at), static_cast<uint32_t>(base + at + size)};
    sources_.insert(sources_.end(), size, source);
    at += size;
  }
}

AlignedText AlignedText::empty_like() const {
  AlignedText other;
  other.aligned_ = aligned_;
  other.shifted_ = shifted_;
  return other;
}

void AlignedText::append_copy(const AlignedText& other, size_t begin, size_t end) {
  text_.append(other.text_, begin, end - begin);
  if (aligned_)
    sources_.insert(sources_.end(), other.sources_.begin() + static_cast<ptrdiff_t>(begin),
                    other.sources_.begin() + static_cast<ptrdiff_t>(end));
}

void AlignedText::append_inserted(const AlignedText& other, std::string_view bytes, size_t from) {
  text_ += bytes;
  if (aligned_) sources_.insert(sources_.end(), bytes.size(), other.sources_[from]);
}

void AlignedText::rewrite(std::span<const Change> changes) {
  AlignedText made = empty_like();
  made.text_.reserve(text_.size());
  made.sources_.reserve(sources_.size());
  size_t at = 0;  // in the old text
  const auto pass = [&] { at += at < text_.size() ? decode(text_.data() + at).size : 0; };
  for (const auto& [character, change] : changes) {
    char bytes[4];
    const std::string_view added(bytes, encode(character, bytes));
    made.text_ += added;
    if (aligned_) {
      // An inserted character has the source of what precedes it.
      const size_t from = change > 0 ? at - 1 : at;
      const Span source = change > 0 && at == 0 ? Span{} : sources_[std::min(from, sources_.size() - 1)];
      made.sources_.insert(made.sources_.end(), added.size(), source);
    }
    for (int32_t passed = change; passed <= 0; ++passed) pass();
  }
  made.shifted_ |= at < text_.size();
  *this = std::move(made);
}

}  // namespace bert::text
